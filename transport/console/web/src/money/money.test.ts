import {expect, test} from "vitest";
import {compare, difference, percent, product, signOf, sum} from "./decimal";
import {decimalsOf, padding, shown, signed, typed, unformatted} from "./format";

test.each([
  ["0", "0"], ["12", "12"], ["999", "999"], ["1000", "1\u202f000"], ["-1234567.80", "−1\u202f234\u202f567.80"],
  ["0.00000001", "0.00000001"], ["123456789012345678.123456789012345678", "123\u202f456\u202f789\u202f012\u202f345\u202f678.123456789012345678"],
  [null, "–"], [undefined, "–"],
])("shown %s", (value, want) => {
  expect(shown(value)).toBe(want);
  if (value) expect(unformatted(shown(value))).toBe(value);
});

test.each([
  ["12.5", "+12.5"], ["-1000", "−1\u202f000"], ["0", "0"], ["0.00", "0.00"], ["-0.0", "0.0"], [null, "–"],
])("signed %s", (value, want) => expect(signed(value)).toBe(want));

test("arithmetic is exact", () => {
  expect(sum(["0.1", "0.2"])).toBe("0.3");
  expect(sum(["123456789012345678.000000000000000001", "0.000000000000000009"])).toBe("123456789012345678.00000000000000001");
  expect(sum([])).toBe("0");
  expect(sum(["1", null])).toBeUndefined();
  expect(difference("1", "0.0000001")).toBe("0.9999999");
  expect(difference(null, "1")).toBeUndefined();
  expect(product("0.0000001", "0.1")).toBe("0.00000001");
  expect([compare("9007199254740993", "9007199254740992"), compare("1.10", "1.1"), signOf("-0.0001")]).toEqual([1, 0, -1]);
});

test.each([
  ["188", "500", "37"], ["0", "500", "0"], ["-3", "500", "0"], ["500", "500", "100"], ["499.99", "500", "99"], ["900", "500", "100"], ["1", "0", "100"],
  ["0.000000000000000001", "3", "0"],
])("%s of %s is %s percent", (part, whole, want) => expect(percent(part, whole)).toBe(want));

test("a number of JavaScript is refused", () => {
  expect(() => sum([0.1 as unknown as string])).toThrow();
});

// The sums of integers with a fixed number of decimals, against big integers.
test("sums agree with big integers", () => {
  let state = 88172645463325252n;
  const next = () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return state - (1n << 63n);
  };
  const text = (units: bigint) => {
    const digits = (units < 0n ? -units : units).toString().padStart(19, "0");
    return `${units < 0n ? "-" : ""}${digits.slice(0, -18)}.${digits.slice(-18)}`;
  };
  for (let i = 0; i < 500; i++) {
    const [a, b] = [next(), next()];
    expect(compare(sum([text(a), text(b)]) ?? "", text(a + b)), `${text(a)} + ${text(b)}`).toBe(0);
  }
});

test.each([
  ["1", 2, ".00"], ["1.5", 2, "0"], ["1.55", 2, ""], ["1.555", 2, ""], ["1", 0, ""], ["1", 18, ".00000000"], [null, 3, ""],
])("padding of %s to %d", (value, decimals, want) => expect(padding(value, decimals)).toBe(want));

test("decimals", () => expect(["1", "1.0", "-0.001"].map(decimalsOf)).toEqual([0, 1, 3]));

test.each(["", "1,5", "1 000", "-1", "1e3", ".5", "0", "0.00", "1234567890123456789", "٣"])("typed %s is a fault", (text) => {
  expect(typed(text).fault).toBeTruthy();
});

test("typed", () => expect(typed(" 0.10 ")).toEqual({value: "0.10"}));
