import {expect, test} from "vitest";
import type {JournalRow} from "../../api/types";
import {newerThan, pathOf} from "./rows";

const row = (id: string): JournalRow => ({id, seq: 1, at: "2026-11-27T10:00:00.000Z", kind: "order.status", subject: "ord_1", fields: []});

test("rows that are shown are not new, though they are of the same millisecond", () => {
  expect(newerThan([row("3"), row("2"), row("1")], [row("1"), row("0")])).toBe(2);
  expect(newerThan([row("1")], [row("1")])).toBe(0);
  expect(newerThan([], [])).toBe(0);
});

test("filters that are absent are not sent", () => {
  expect(pathOf("journal/export", {kind: "order", from: undefined}, {format: "csv"})).toBe("journal/export?kind=order&format=csv");
});
