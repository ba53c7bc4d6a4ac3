import {expect, test} from "vitest";
import type {Candle} from "../../api/types";
import {Candles} from "../../live/candles";
import {barsOf, merged} from "./bars";

const minute = (at: number) => new Date(Date.UTC(2026, 10, 20, 9, at)).toISOString();
const candle = (at: number, close = "1.5"): Candle => ({start: minute(at), end: minute(at + 1), open: "1", high: "2", low: "0.5", close, volume: "1", turnover: "1", closed: true});

test("what the stream has sent is newer than the history", () => {
  const held = new Candles();
  for (const each of [candle(2, "1.7"), candle(3), candle(3, "1.9")]) held.apply({channel: "", type: "update", seq: 0, ts: "", venueTs: null, data: each});
  expect(merged([candle(1), candle(2)], held.all).map(({start, close}) => [start, close])).toEqual([[minute(1), "1.5"], [minute(2), "1.7"], [minute(3), "1.9"]]);
});

test("a candle that was left open when the connection was lost is replaced by the closed one", () => {
  const open = {...candle(2, "1.7"), closed: false};
  expect(merged([candle(1), candle(2)], new Map([[open.start, open]])).map(({close}) => close)).toEqual(["1.5", "1.5"]);
  expect(merged([candle(1), open], new Map([[open.start, {...open, close: "1.8"}]])).map(({close}) => close)).toEqual(["1.5", "1.8"]);
});

test("a missing candle keeps its place", () => {
  const start = Date.UTC(2026, 10, 20, 9) / 1000;
  expect(barsOf([candle(0), candle(3)])).toEqual([
    {time: start, open: 1, high: 2, low: 0.5, close: 1.5}, {time: start + 60}, {time: start + 120}, {time: start + 180, open: 1, high: 2, low: 0.5, close: 1.5},
  ]);
});

test("no more than 5,000, whatever the hole", () => {
  const bars = barsOf([candle(0), candle(9_000)]);
  expect([bars.length, bars.at(-1)?.time]).toEqual([5_000, Date.UTC(2026, 10, 20, 9, 9_000) / 1000]);
});
