// Prices and quantities as whole steps of an instrument. Exact: steps are big integers.
import type {Decimal} from "./decimal";
import {decimalsOf} from "./format";

/** nearest returns the multiples of a step below and above a value, undefined if it is one itself. Zero is left out. */
export function nearest(value: Decimal, step: Decimal): readonly Decimal[] | undefined {
  const decimals = Math.max(decimalsOf(value), decimalsOf(step));
  const [units, size] = [unitsOf(value, decimals), unitsOf(step, decimals)];
  const over = units % size;
  if (over === 0n) return undefined;
  return [units - over, units - over + size].filter((each) => each > 0n).map((each) => rounded(each, decimals, decimalsOf(step)));
}

/** leastFor returns the smallest multiple of a step that is at least a total when multiplied by a price. */
export function leastFor(total: Decimal, price: Decimal, step: Decimal): Decimal {
  const decimals = Math.max(...[total, price, step].map(decimalsOf));
  const [whole, each, size] = [total, price, step].map((value) => unitsOf(value, decimals)) as [bigint, bigint, bigint];
  const divisor = each * size;
  const steps = (whole * 10n ** BigInt(decimals) + divisor - 1n) / divisor;
  return rounded(steps * size, decimals, decimalsOf(step));
}

/** mostFor returns the largest multiple of a step that is worth at most so many percent of a total, where a quantity, one if it is not given, is worth a price. */
export function mostFor(total: Decimal, percent: number, price: Decimal, step: Decimal, qty: Decimal = "1"): Decimal {
  const decimals = Math.max(...[total, price, step, qty].map(decimalsOf));
  const [whole, each, size, count] = [total, price, step, qty].map((value) => unitsOf(value, decimals)) as [bigint, bigint, bigint, bigint];
  const steps = whole * BigInt(percent) * count / (100n * each * size);
  return rounded(steps * size, decimals, decimalsOf(step));
}

function unitsOf(value: Decimal, decimals: number): bigint {
  const [whole = "", fraction = ""] = value.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

// The digits that are cut off are zero.
function rounded(units: bigint, decimals: number, keep: number): Decimal {
  const digits = units.toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return keep === 0 ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, point + keep)}`;
}
