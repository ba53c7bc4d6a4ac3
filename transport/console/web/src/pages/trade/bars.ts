import type {CandlestickData, UTCTimestamp, WhitespaceData} from "lightweight-charts";
import type {Candle} from "../../api/types";
import {coordinate} from "../../live/scale";

/** A candle as the chart draws it, or the place of one that is missing. */
export type Bar = CandlestickData<UTCTimestamp> | WhitespaceData<UTCTimestamp>;

const MOST = 5_000;

/** merged returns candles by their start, each as it was last reported: the history, and over it those of the stream. One that the stream has left open is not newer than a closed one: the connection was lost meanwhile. */
export function merged(history: readonly Candle[], streamed: ReadonlyMap<string, Candle>): readonly Candle[] {
  const all = new Map(history.map((candle) => [candle.start, candle]));
  for (const [start, candle] of streamed) if (candle.closed || !all.get(start)?.closed) all.set(start, candle);
  return [...all.values()].sort((a, b) => a.start < b.start ? -1 : 1).slice(-MOST);
}

/** barsOf returns the candles with the places of those that are missing: a hole is a hole. */
export function barsOf(candles: readonly Candle[]): readonly Bar[] {
  const bars: Bar[] = [];
  for (const [at, candle] of candles.entries()) {
    const before = candles[at - 1];
    if (before) for (const time of missingBetween(before, candle, MOST - bars.length)) bars.push({time});
    bars.push(barOf(candle));
  }
  return bars.slice(-MOST);
}

/** barOf returns a candle as the chart draws it. */
export function barOf({start, open, high, low, close}: Candle): CandlestickData<UTCTimestamp> {
  return {time: secondsOf(start), open: coordinate(open), high: coordinate(high), low: coordinate(low), close: coordinate(close)};
}

function missingBetween(before: Candle, after: Candle, most: number): readonly UTCTimestamp[] {
  const [end, next] = [secondsOf(before.end), secondsOf(after.start)];
  const length = end - secondsOf(before.start);
  const count = length > 0 ? Math.min(Math.floor((next - end) / length), Math.max(most, 0)) : 0;
  return Array.from({length: Math.max(count, 0)}, (_, at) => end + at * length as UTCTimestamp);
}

/** secondsOf returns a moment as the chart counts it. */
export function secondsOf(time: string): UTCTimestamp {
  return Math.floor(Date.parse(time) / 1000) as UTCTimestamp;
}
