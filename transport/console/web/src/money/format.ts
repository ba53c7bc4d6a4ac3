// How decimals are shown: every digit of the wire, groups of three before the point, and a
// point in every locale. What is copied from a page is the plain text again: see copy.ts.
import {signOf, type Decimal} from "./decimal";

/** What is shown for a value that is not known. */
export const ABSENT = "–";
export const MINUS = "−";
export const GROUP = "\u202f";

/** shown returns a decimal as it is shown: "-1234567.80" as "−1 234 567.80". */
export function shown(value: Decimal | null | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  const [whole = "", fraction] = value.replace("-", "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, GROUP);
  return `${value.startsWith("-") ? MINUS : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** signed is shown with a plus before gains; zero has no sign. */
export function signed(value: Decimal | null | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  const sign = signOf(value);
  if (sign === 0) return shown(value.replace("-", ""));
  return sign > 0 ? `+${shown(value)}` : shown(value);
}

/** unformatted returns the plain text of what shown and signed return. */
export function unformatted(text: string): string {
  return text.replaceAll(GROUP, "").replaceAll(MINUS, "-");
}

/** decimalsOf returns the digits after the point. */
export function decimalsOf(value: Decimal): number {
  const point = value.indexOf(".");
  return point < 0 ? 0 : value.length - point - 1;
}

// Quantities of 18 decimals would leave no room for anything else.
const PAD_MOST = 8;

/** padding returns what is missing after a value so that the points of a column line up; it is not shown, it only takes its room. */
export function padding(value: Decimal | null | undefined, decimals: number): string {
  if (value === null || value === undefined) return "";
  const own = decimalsOf(value);
  const missing = Math.max(0, Math.min(decimals, PAD_MOST) - own);
  return missing === 0 ? "" : `${own === 0 ? "." : ""}${"0".repeat(missing)}`;
}

/** A decimal that was typed, or what is wrong with it. */
export type Typed = {readonly value: Decimal; readonly fault?: undefined} | {readonly fault: string; readonly value?: undefined};

/** typed reads a decimal above zero from a field of a form. */
export function typed(text: string): Typed {
  const value = text.trim();
  if (value.includes(",")) return {fault: "Use a point for decimals, and nothing between thousands."};
  if (!/^\d{1,18}(\.\d{1,18})?$/.test(value)) return {fault: "A number such as 0.01, with at most 18 digits before and after the point."};
  if (signOf(value) === 0) return {fault: "More than zero."};
  return {value};
}
