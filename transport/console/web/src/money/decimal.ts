// Amounts, prices and quantities: exact decimals, strings from the wire to the screen. No
// amount is ever a JavaScript number; eslint.config.js bans what would make one.
import Big from "big.js";

/** A decimal as the service writes it, such as "0.001". */
export type Decimal = string & {readonly decimal: unique symbol};

Big.strict = true; // a number instead of a string throws

const FORM = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const THIN = "\u202f"; // narrow no-break space

/** decimal returns text as a Decimal, or undefined if it is none. */
export function decimal(text: string): Decimal | undefined {
  return FORM.test(text) ? (text as Decimal) : undefined;
}

/** show formats value for people: thousands apart, a typographic minus, digits as they came. */
export function show(value: Decimal): string {
  const negative = value.startsWith("-");
  const [whole = "", fraction] = (negative ? value.slice(1) : value).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return (negative ? "\u2212" : "") + grouped + (fraction === undefined ? "" : `.${fraction}`);
}

/** sign returns -1, 0 or 1. */
export function sign(value: Decimal): -1 | 0 | 1 {
  if (!/[1-9]/.test(value)) return 0;
  return value.startsWith("-") ? -1 : 1;
}

/** compare orders two decimals like Array.sort wants it. */
export function compare(a: Decimal, b: Decimal): number {
  return new Big(a).cmp(new Big(b));
}

/** What is wrong with a typed amount, in words; undefined if nothing is. */
export function fault(typed: string): string | undefined {
  if (typed === "") return "Enter a number.";
  if (typed.includes(",")) return "Use a point, not a comma.";
  if (!decimal(typed)) return "Enter a number such as 0.5.";
  return undefined;
}
