import {expect, test} from "vitest";
import {firstWindow, windowBefore, type Window} from "./windows";

const now = new Date("2026-11-27T12:00:00Z");

test("without a period the windows go back from now without end", () => {
  const first = firstWindow(now, undefined, undefined);
  expect(first).toEqual({from: "2026-10-27T12:00:00.000Z", to: "2026-11-27T12:00:00.000Z"});
  expect(windowBefore(first, undefined)).toEqual({from: "2026-09-26T12:00:00.000Z", to: "2026-10-27T12:00:00.000Z"});
});

test("a period is covered once, from its end to its start", () => {
  const windows = [];
  for (let next: Window | undefined = firstWindow(now, "2026-09-01", "2026-11-01"); next; next = windowBefore(next, "2026-09-01")) windows.push(next);
  expect(windows.map(({from, to}) => `${from.slice(0, 10)} ${to.slice(0, 10)}`)).toEqual(["2026-10-01 2026-11-01", "2026-09-01 2026-10-01"]);
});

test("a period of which the end is before its start is empty", () => {
  const window = firstWindow(now, "2026-11-20", "2026-11-10");
  expect(window.from).toBe(window.to);
  expect(windowBefore(window, "2026-11-20")).toBeUndefined();
});
