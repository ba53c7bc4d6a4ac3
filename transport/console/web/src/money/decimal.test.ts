import fc from "fast-check";
import {expect, test} from "vitest";
import {compare, decimal, fault, show, sign, type Decimal} from "./decimal";

const decimals = fc.tuple(fc.bigInt({min: -(10n ** 24n), max: 10n ** 24n}), fc.integer({min: 0, max: 18}))
  .map(([units, scale]) => ({units, scale, text: write(units, scale)}));

function write(units: bigint, scale: number): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const at = digits.length - scale;
  const text = (units < 0n ? "-" : "") + digits.slice(0, at) + (scale ? `.${digits.slice(at)}` : "");
  const got = decimal(text);
  if (!got) throw new Error(`${text} is not taken for a decimal`);
  return got;
}

test("show changes nothing but the marks", () => {
  fc.assert(fc.property(decimals, ({text}) => {
    expect(show(text).replaceAll("\u202f", "").replace("\u2212", "-")).toBe(text);
  }));
});

test("show sets thousands apart", () => {
  const shown = (text: string) => show(text as Decimal).replaceAll("\u202f", " ").replace("\u2212", "-");
  expect(shown("65017.30")).toBe("65 017.30");
  expect(shown("-1234567.0000001")).toBe("-1 234 567.0000001");
  expect(shown("999")).toBe("999");
});

test("compare and sign agree with integers", () => {
  fc.assert(fc.property(decimals, decimals, (a, b) => {
    const left = a.units * 10n ** BigInt(18 - a.scale), right = b.units * 10n ** BigInt(18 - b.scale);
    expect(compare(a.text, b.text)).toBe(left < right ? -1 : left > right ? 1 : 0);
    expect(sign(a.text)).toBe(a.units < 0n ? -1 : a.units > 0n ? 1 : 0);
  }));
});

test("text that is no decimal", () => {
  for (const text of ["", "1,5", "1e3", ".5", "5.", "01", "+1", "NaN", " 1", "0x1"]) {
    expect(decimal(text), text).toBeUndefined();
    expect(fault(text), text).toBeDefined();
  }
  expect(fault("1,5")).toContain("point");
  expect(fault("0.10")).toBeUndefined();
});
