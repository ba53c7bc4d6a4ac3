import {expect, test} from "vitest";
import {leastFor, mostFor, nearest} from "./steps";

test.each([
  ["65010.04", "0.1", ["65010.0", "65010.1"]], ["65010.0", "0.1", undefined], ["65010", "0.10", undefined],
  ["0.0004", "0.001", ["0.001"]], ["7", "5", ["5", "10"]], ["0.3", "0.1", undefined],
  ["123456789012345678.123456789012345678", "0.0000001", ["123456789012345678.1234567", "123456789012345678.1234568"]],
  ["0.00000015", "0.0000001", ["0.0000001", "0.0000002"]], ["1.25", "0.5", ["1.0", "1.5"]],
])("nearest of %s in steps of %s", (value, step, want) => expect(nearest(value, step)).toEqual(want));

test.each([
  ["5", "65010.1", "0.001", "0.001"], ["5", "100", "0.001", "0.050"], ["5", "99.99", "0.001", "0.051"], ["100", "3", "1", "34"], ["100", "0.0000001", "1", "1000000000"],
])("least for %s at %s in steps of %s", (total, price, step, want) => expect(leastFor(total, price, step)).toBe(want));

test.each([
  ["1000", 25, "100", "0.001", "2.500"], ["1000", 25, "65010.1", "0.001", "0.003"], ["5", 10, "65010", "0.001", "0.000"], ["0.007", 50, "1", "0.001", "0.003"],
  ["99912.1", 100, "0.0000001", "1", "999121000000"], ["0.3", 100, "0.1", "0.1", "3.0"],
])("most for %s, %i %%, at %s in steps of %s", (total, percent, price, step, want) => expect(mostFor(total, percent, price, step)).toBe(want));

test("most for a price of another quantity", () => expect(mostFor("99912.1", 50, "65.01", "0.001", "0.001")).toBe("0.768"));
