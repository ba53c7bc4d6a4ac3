import type {JournalRow} from "../../api/types";

export const PAGE_ROWS = 100;

/** pathOf returns the path of a call about the rows that match filters. */
export function pathOf(what: "journal" | "journal/export", chosen: Readonly<Record<string, string | undefined>>, more: Readonly<Record<string, string>>): string {
  const set = Object.entries({...chosen, ...more}).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]);
  return `${what}?${new URLSearchParams(set).toString()}`;
}

/** newerThan returns how many rows are not among those that are shown: a row of the same millisecond may be. */
export function newerThan(rows: readonly JournalRow[], shown: readonly JournalRow[]): number {
  const known = new Set(shown.slice(0, PAGE_ROWS).map(({id}) => id));
  return rows.filter(({id}) => !known.has(id)).length;
}
