// The only place where decimals become numbers: for the length of a bar and the coordinates of
// a chart, which are rounded to pixels anyway.
import type {Decimal} from "../money/decimal";

/** coordinate returns a decimal as the number that a chart draws. */
export function coordinate(value: Decimal): number {
  return parseFloat(value);
}

/** share returns what part of a whole a decimal is, from 0 to 1. */
export function share(part: Decimal, whole: Decimal): number {
  const all = parseFloat(whole);
  return all > 0 ? Math.min(1, parseFloat(part) / all) : 0;
}
