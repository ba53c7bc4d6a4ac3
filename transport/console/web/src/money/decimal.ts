// Exact arithmetic on decimals. They are text from the wire to the screen, in plain notation.
import Big from "big.js";

// Numbers of JavaScript are refused, and what would be rounded is an error.
const Exact = Big();
Exact.strict = true;

/** A decimal as the service writes it: digits with an optional point and minus sign. */
export type Decimal = string;

/** isDecimal reports whether text is a decimal in plain notation. */
export function isDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** sum adds decimals. It is undefined if one of them is not known: a part is not the whole. */
export function sum(values: readonly (Decimal | null | undefined)[]): Decimal | undefined {
  let total = new Exact("0");
  for (const value of values) {
    if (value === null || value === undefined) return undefined;
    total = total.plus(new Exact(value));
  }
  return total.toFixed();
}

/** difference subtracts; undefined if one of them is not known. */
export function difference(a: Decimal | null | undefined, b: Decimal | null | undefined): Decimal | undefined {
  return a === null || a === undefined || b === null || b === undefined ? undefined : new Exact(a).minus(new Exact(b)).toFixed();
}

/** product multiplies; undefined if one of them is not known. */
export function product(a: Decimal | null | undefined, b: Decimal | null | undefined): Decimal | undefined {
  return a === null || a === undefined || b === null || b === undefined ? undefined : new Exact(a).times(new Exact(b)).toFixed();
}

/** percent returns how much of a whole a part is, as a whole number from 0 to 100, for widths. A whole that is not above zero is full. */
export function percent(part: Decimal, whole: Decimal): string {
  if (signOf(part) <= 0) return "0";
  if (signOf(whole) <= 0 || compare(part, whole) >= 0) return "100";
  return new Exact(part).times("100").div(new Exact(whole)).toFixed(0, Exact.roundDown);
}

/** compare returns -1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  return new Exact(a).cmp(new Exact(b));
}

/** signOf returns -1, 0 or 1. */
export function signOf(value: Decimal): -1 | 0 | 1 {
  return compare(value, "0");
}
