import {expect, test} from "vitest";
import {Book, type Level} from "./book";
import {Candles} from "./candles";
import type {Frame} from "./frame";
import {Records} from "./records";
import {Tape} from "./tape";

const frame = (type: Frame["type"], data?: unknown, missed?: number | null): Frame =>
  ({channel: "", type, seq: 0, ts: "", venueTs: null, data, ...(missed === undefined ? {} : {missed})});

test("a delta sets, adds and removes levels", () => {
  const book = new Book();
  expect(book.trust).toEqual({state: "waiting"});
  book.apply(frame("snapshot", {bids: [["64000", "1.5"], ["63999.9", "0.002"]], asks: [["64000.1", "12"], ["64001", "3"]]}));
  book.apply(frame("delta", {bids: [["64000.0", "0"], ["63999.8", "0.25"], ["63998", "0"]], asks: [["64000.1", "11"], ["64000.05", "2"], ["9999999", "1"]]}));
  expect(book.bids).toEqual([["63999.9", "0.002"], ["63999.8", "0.25"]]);
  expect(book.asks).toEqual([["64000.05", "2"], ["64000.1", "11"], ["64001", "3"], ["9999999", "1"]]);
  expect(book.trust).toEqual({state: "live"});
});

test("a stale book keeps its levels and is live with the next snapshot", () => {
  const book = new Book();
  book.apply(frame("snapshot", {bids: [["1", "2"]], asks: []}));
  book.apply(frame("stale"));
  expect(book.trust.state).toBe("stale");
  expect(book.bids).toEqual([["1", "2"]]);
  book.apply(frame("snapshot", {bids: [["3", "2"]], asks: []}));
  expect(book.trust).toEqual({state: "live"});
});

// Random deltas against a map that is sorted anew each time.
test("agrees with a reference model", () => {
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const book = new Book();
  book.apply(frame("snapshot", {bids: [], asks: []}));
  const [bids, asks] = [new Map<string, string>(), new Map<string, string>()];
  for (let step = 0; step < 400; step++) {
    const change = (model: Map<string, string>): Level[] => Array.from({length: random(4)}, () => {
      const level: Level = [`9.${String(random(30)).padStart(2, "0")}`, String(random(3))];
      if (level[1] === "0") model.delete(level[0]);
      else model.set(...level);
      return level;
    });
    book.apply(frame("delta", {bids: change(bids), asks: change(asks)}));
    expect(book.asks).toEqual([...asks].sort(([a], [b]) => a < b ? -1 : 1));
    expect(book.bids).toEqual([...bids].sort(([a], [b]) => a < b ? 1 : -1));
  }
});

test("the tape holds 200 lines, the newest first, and marks what is missing", () => {
  const tape = new Tape();
  for (let id = 0; id < 250; id++) tape.apply(frame("update", {id: String(id), price: "1", qty: "1", side: "buy", ts: null}));
  tape.apply(frame("gap", undefined, 7));
  tape.apply(frame("gap", undefined, null));
  expect(tape.lines).toHaveLength(200);
  expect(tape.lines.slice(0, 2)).toEqual([{missed: null}, {missed: 7}]);
  expect(tape.last?.id).toBe("249");
  tape.distrust("lost");
  tape.apply(frame("update", {id: "251", price: "1", qty: "1", side: "sell", ts: null}));
  tape.distrust("lost");
  expect(tape.lines.slice(0, 3)).toEqual([{missed: null}, {id: "251", price: "1", qty: "1", side: "sell", ts: null}, {missed: null}]);
});

test("records are replaced by key, and the ended ones go first", () => {
  interface Row { id: string; ended: boolean }
  const records = new Records<Row>((row) => row.id, (row) => row.ended);
  records.apply(frame("snapshot", [{id: "a", ended: false}]));
  records.apply(frame("update", {id: "b", ended: true}));
  expect(records.list().map((row) => row.id)).toEqual(["a"]);
  expect(records.find((row) => row.id === "b")?.ended).toBe(true);
  for (let id = 0; id < 1_000; id++) records.apply(frame("update", {id: `r${id}`, ended: false}));
  expect(records.find((row) => row.id === "b")).toBeUndefined();
  expect(records.list()).toHaveLength(1_001);
  records.apply(frame("snapshot", []));
  expect(records.list()).toEqual([]);
});

test("candles are replaced by their start, and the oldest go when there are more than 5,000", () => {
  const candles = new Candles();
  const start = (minute: number) => new Date(minute * 60_000).toISOString();
  for (let minute = 0; minute < 5_002; minute++) for (const close of ["1", "2"]) candles.apply(frame("update", {start: start(minute), close}));
  expect(candles.all.size).toBe(5_000);
  expect([candles.all.has(start(1)), candles.all.get(start(2))]).toMatchObject([false, {close: "2"}]);
});

test("watchers are called after each change", () => {
  const tape = new Tape();
  let calls = 0;
  const end = tape.watch(() => calls++);
  tape.distrust("lost");
  end();
  tape.distrust("lost");
  expect([calls, tape.version()]).toEqual([1, 2]);
});
