// How durations of orders are shown. They are microseconds, no amounts.
import type {OrderLatency} from "../api/types";

const STEP = 1000;

/** micros returns a short duration, given in microseconds. */
export function micros(value: number): string {
  if (value < STEP) return `${value} µs`;
  if (value < STEP * STEP) return `${(value / STEP).toFixed(value < 10 * STEP ? 2 : 1)} ms`;
  return `${(value / STEP / STEP).toFixed(2)} s`;
}

const texts: Readonly<Record<string, string>> = {
  authenticated: "sender known, body read", admitted: "rules passed", durable: "intent durable", sent: "passed to the venue's connection",
  venue_answered: "answer of the venue", recorded: "answer recorded", answered: "answer passed to the sender", total: "in all",
};

/** hopText returns what ends a hop, in words. */
export function hopText(hop: string): string {
  return texts[hop] ?? hop.replaceAll("_", " ");
}

/** isOfVenue reports whether a hop is the time of the venue and the way to it. */
export function isOfVenue(hop: string): boolean {
  return hop === "venue_answered";
}

const SHORTEST = 10; // microseconds, the left end of bars
const DECADES = 6; // up to 10 seconds

/** logWidth returns the width of a bar, of 100, on a logarithmic scale from 10 µs to 10 s. */
export function logWidth(microseconds: number): number {
  if (microseconds <= SHORTEST) return 0;
  return Math.min(100, Math.round(Math.log10(microseconds / SHORTEST) / DECADES * 100));
}

/** longest returns the hop in which an order spent most of its time. */
export function longest({hopsUs}: Pick<OrderLatency, "hopsUs">): {readonly hop: string; readonly microseconds: number} | undefined {
  const [most] = Object.entries(hopsUs).toSorted(([, a], [, b]) => b - a);
  return most && {hop: most[0], microseconds: most[1]};
}

/** hopsOf returns the hops of one order in the order of a report. */
export function hopsOf({hopsUs}: Pick<OrderLatency, "hopsUs">): readonly {readonly hop: string; readonly microseconds: number}[] {
  return Object.keys(texts).flatMap((hop) => hopsUs[hop] === undefined ? [] : [{hop, microseconds: hopsUs[hop]}]);
}
