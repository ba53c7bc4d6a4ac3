import type {ClosedTrade} from "../../api/types";
import {csvOf} from "../../ui/csv";

const DEFAULT_DAYS = 31;
const DAY_MILLISECONDS = 86_400_000;

/** periodOf returns the period that filters select, which are days in UTC: the last 31 days if no start is chosen. */
export function periodOf({from, to}: Readonly<Record<string, string>>, now: Date): {readonly from: string; readonly to?: string} {
  const end = startOf(to);
  const last = end ?? new Date(Math.floor(now.getTime() / DAY_MILLISECONDS) * DAY_MILLISECONDS);
  const start = startOf(from) ?? new Date(last.getTime() - DEFAULT_DAYS * DAY_MILLISECONDS);
  return {from: start.toISOString(), ...(end && {to: end.toISOString()})};
}

function startOf(date: string | undefined): Date | undefined {
  const at = date === undefined ? undefined : new Date(date);
  return at && !isNaN(at.getTime()) ? at : undefined;
}

const names = ["exchange", "symbol", "side", "qty", "entryPrice", "exitPrice", "realizedPnl", "fee", "feeCurrency", "reason", "openedAt", "closedAt", "heldSeconds", "comment"] as const satisfies readonly (keyof ClosedTrade)[];

/** csvOfLines returns the lines of an export as CSV. */
export function csvOfLines(lines: string): string {
  const trades = lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as ClosedTrade);
  return csvOf([names, ...trades.map((one) => names.map((name) => one[name]))]);
}
