import {describe, expect, test} from "vitest";
import type {Actor, Actors} from "../../api/types";
import {moved, rowsOf} from "./rows";
import {bytes, percent, span} from "./words";

const CREATED = "2026-11-23T10:00:00.000Z";

function actor(path: string, parent = "", more: Partial<Actor> = {}): Actor {
  return {
    path, parent, kind: path, running: true, waiting: 0, waitingMax: 1024, messages: 0, busyUs: 0, rejections: 0, failures: 0, restarts: 0,
    createdAt: CREATED, startedAt: CREATED, ...more,
  };
}

function reading(at: string, ...items: Actor[]): Actors {
  return {at, total: items.length, items};
}

const before = reading("2026-11-23T10:00:00.000Z", actor("venue/okx"), actor("venue/okx/book/BTCUSDT", "venue/okx", {messages: 100, busyUs: 1_000_000}), actor("alerts"));
const now = reading("2026-11-23T10:00:02.000Z", actor("venue/okx"), actor("venue/okx/book/BTCUSDT", "venue/okx", {messages: 300, busyUs: 1_500_000, failures: 1, restarts: 1, waiting: 7}), actor("alerts"));
const all = new Set(["venue/okx"]);

describe("rows of the tree", () => {
  test("a branch that is not open is folded", () => {
    expect(rowsOf(now, before, new Set(), "name").map(({actor: {path}}) => path)).toEqual(["alerts", "venue/okx"]);
    expect(rowsOf(now, before, all, "name").map(({name, level}) => [name, level])).toEqual([["alerts", 1], ["venue/okx", 1], ["book/BTCUSDT", 2]]);
  });

  test("siblings are sorted by the most of what is below them", () => {
    for (const order of ["waiting", "failures", "busy"] as const)
      expect(rowsOf(now, before, new Set(), order)[0]?.actor.path, order).toBe("venue/okx");
  });

  test("changes are those between two readings", () => {
    const book = rowsOf(now, before, all, "name").at(-1);
    expect(book?.change).toEqual({messagesPerSecond: 100, busy: 0.25, failures: 1, restarts: 1});
    expect(rowsOf(now, undefined, all, "name").at(-1)?.change).toBeUndefined();
  });

  test("an actor that was created in between has no change", () => {
    const again = reading(now.at, actor("alerts", "", {createdAt: now.at}));
    expect(rowsOf(again, before, all, "name")[0]?.change).toBeUndefined();
  });

  test("a text finds actors below branches that are folded", () => {
    expect(rowsOf(now, before, new Set(), "name", "btc").map(({actor: {path}}) => path)).toEqual(["venue/okx", "venue/okx/book/BTCUSDT"]);
  });
});

test("arrows move through the tree, open and close branches", () => {
  const closed = rowsOf(now, before, new Set(), "name"), open = rowsOf(now, before, all, "name");
  expect(moved(closed, "alerts", "down")).toEqual({focus: "venue/okx"});
  expect(moved(closed, "venue/okx", "down")).toEqual({focus: "venue/okx"});
  expect(moved(closed, "venue/okx", "right")).toEqual({focus: "venue/okx", toggle: "venue/okx"});
  expect(moved(open, "venue/okx", "right")).toEqual({focus: "venue/okx/book/BTCUSDT"});
  expect(moved(open, "venue/okx/book/BTCUSDT", "left")).toEqual({focus: "venue/okx"});
  expect(moved(open, "venue/okx", "left")).toEqual({focus: "venue/okx", toggle: "venue/okx"});
  expect(moved(open, "alerts", "last")).toEqual({focus: "venue/okx/book/BTCUSDT"});
  expect(moved(open, "venue/okx/book/BTCUSDT", "first")).toEqual({focus: "alerts"});
});

test("sizes and durations", () => {
  expect([0, 999, 1000, 15_300_000, 2e12].map(bytes)).toEqual(["0 B", "999 B", "1.0 kB", "15.3 MB", "2.0 TB"]);
  expect([12, 59_000, 60_000, 7_200_000, 200_000_000].map(span)).toEqual(["12 ms", "59 s", "1 min", "2 h", "2 d"]);
  expect([0, 0.0001, 0.034, 0.5].map(percent)).toEqual(["0 %", "< 0.1 %", "3.4 %", "50 %"]);
});
