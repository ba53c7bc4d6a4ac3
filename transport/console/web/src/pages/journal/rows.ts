import type {JournalRow, Page} from "../../api/types";

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

/** without returns filters apart from one. */
export function without<T>(chosen: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(chosen).filter(([other]) => other !== name));
}

/** What a list has without one of its filters, once that is read. */
export interface Without {
  readonly name: string;
  readonly page: Pick<Page<JournalRow>, "items" | "nextCursor"> | undefined;
}

/** excluding returns the filter without which there are most rows, and how many: "100+" if there are more than a page. It is undefined if there are none without any one of them, and until all are read. */
export function excluding(all: readonly Without[]): {readonly name: string; readonly count: string} | undefined {
  const read = all.flatMap(({name, page}) => page ? [{name, rows: page.items.length, more: page.nextCursor !== null}] : []);
  if (read.length < all.length) return undefined;
  const [most] = read.filter(({rows}) => rows > 0).toSorted((a, b) => b.rows - a.rows || (b.more ? 1 : 0) - (a.more ? 1 : 0));
  return most && {name: most.name, count: `${most.rows}${most.more ? "+" : ""}`};
}
