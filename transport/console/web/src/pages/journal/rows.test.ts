import {expect, test} from "vitest";
import type {JournalRow} from "../../api/types";
import {excluding, newerThan, pathOf, without, type Without} from "./rows";

const row = (id: string): JournalRow => ({id, seq: 1, at: "2026-11-27T10:00:00.000Z", kind: "order.status", subject: "ord_1", fields: []});

test("rows that are shown are not new, though they are of the same millisecond", () => {
  expect(newerThan([row("3"), row("2"), row("1")], [row("1"), row("0")])).toBe(2);
  expect(newerThan([row("1")], [row("1")])).toBe(0);
  expect(newerThan([], [])).toBe(0);
});

test("filters that are absent are not sent", () => {
  expect(pathOf("journal/export", {kind: "order", from: undefined}, {format: "csv"})).toBe("journal/export?kind=order&format=csv");
});

const left = (name: string, rows: number, more = false): Without => ({name, page: {items: Array.from({length: rows}, (_, n) => row(`${n}`)), nextCursor: more ? "c" : null}});

test.each([
  ["the filter without which most rows are left", [left("kind", 2), left("symbol", 7), left("text", 0)], {name: "symbol", count: "7"}],
  ["one with more than a page", [left("kind", 3), left("symbol", 3, true)], {name: "symbol", count: "3+"}],
  ["the first of equal ones", [left("kind", 1), left("symbol", 1)], {name: "kind", count: "1"}],
  ["none if each leaves nothing", [left("kind", 0), left("symbol", 0)], undefined],
  ["none before all are read", [left("kind", 2), {name: "symbol", page: undefined}], undefined],
])("what excludes most: %s", (_, all, want) => expect(excluding(all)).toEqual(want));

test("one filter is left out", () => expect(without({kind: "a", text: "b"}, "kind")).toEqual({text: "b"}));
