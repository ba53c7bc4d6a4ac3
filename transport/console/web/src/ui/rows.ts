import type {RefObject} from "react";
import {useShortcuts} from "./shortcuts";

/** stepRow moves the focus to the next or previous row of a list. Of each row it is the element with data-row, or else its link, that has the focus. */
export function stepRow(list: HTMLElement | null, by: 1 | -1): void {
  const all = [...list?.querySelectorAll<HTMLElement>("tbody [data-row]") ?? []];
  const rows = all.length > 0 ? all : [...list?.querySelectorAll<HTMLElement>("tbody a[href]") ?? []];
  const current = document.activeElement?.closest("tr");
  const at = current ? rows.findIndex((row) => current.contains(row)) : -1;
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}

/**
 * useRowKeys gives a list its keys: j and k move the focus between its rows, the others act on the
 * row that has it. An element of each row has the id of the row in data-row.
 */
export function useRowKeys<Row>(list: RefObject<HTMLElement | null>, rows: readonly Row[], idOf: (row: Row) => string, acts: Readonly<Record<string, (row: Row) => void>>): void {
  const focused = () => {
    const line = document.activeElement?.closest("tr");
    const id = line && list.current?.contains(line) ? line.querySelector<HTMLElement>("[data-row]")?.dataset.row : undefined;
    return rows.find((row) => idOf(row) === id);
  };
  const keys = Object.entries(acts).map(([key, act]) => [key, () => {
    const row = focused();
    if (row !== undefined) act(row);
  }] as const);
  useShortcuts({j: () => stepRow(list.current, 1), k: () => stepRow(list.current, -1), ...Object.fromEntries(keys)});
}
