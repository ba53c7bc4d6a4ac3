import {expect, test} from "vitest";
import type {JournalRow, Signal, SignalHistory, SignalTest} from "../../api/types";
import {entriesOf, passed, stepsOf, termsOf, verdictsOf} from "./history";

let seq = 0;
const at = (milliseconds: number) => new Date(1_900_000_000_000 + milliseconds).toISOString();

function row(kind: string, milliseconds: number, fields: Record<string, string>, more: Partial<JournalRow> = {}): JournalRow {
  seq++;
  return {id: `jrn_${seq}`, seq, at: at(milliseconds), kind, subject: "sig_1", fields: Object.entries(fields).map(([name, value]) => ({name, value})), ...more};
}

const signal: Signal = {
  id: "sig_1", customer: "cus_1", channel: "hook_1", status: "done", test: false, action: "order", exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "9",
  requestId: "r", implied: false, ignored: [], source: "webhook", sentAt: null, receivedAt: at(0), expiresAt: at(1), updatedAt: at(0), orderIds: ["ord_1"], error: null,
};

function historyOf(rows: JournalRow[], more: Partial<SignalHistory> = {}): SignalHistory {
  return {signal, rows, orders: [], fills: [], events: [], changes: [], complete: true, ...more};
}

test("rows, fills and events are on one axis", () => {
  const rows = [row("signal.received", 0, {}), row("order.status", 30, {from: "open", to: "filled"}, {subject: "ord_1", result: "filled"}), row("signal.answer", 31, {}, {result: "done"})];
  const entries = entriesOf(historyOf(rows, {
    fills: [{id: "fil_1", orderId: "ord_1", side: "buy", qty: "9", price: "1.50", at: at(30)}],
    events: [{id: "evt_1", seq: 1.5, type: "order.filled", at: at(30), data: {orderId: "ord_1", fee: "0.1"}}],
  }));
  expect(entries.map(({title, code}) => [title, code])).toEqual([["Received", undefined], ["Filled", "9 at 1.50"], ["Event", "order.filled"], ["Order", undefined], ["Finished", undefined]]);
  expect(entries[3]).toMatchObject({outcome: "open → filled", tone: "good", order: "ord_1"});
  expect(entries[2]?.facts).toEqual([{name: "id", value: "evt_1"}, {name: "fee", value: "0.1"}]);
});

test("a broken rule has its values and a sentence", () => {
  const [entry] = entriesOf(historyOf([row("signal.rule", 0, {rule: "max_qty", limit: "0.5", given: "9"}, {result: "refused"})]));
  expect(entry).toMatchObject({code: "max_qty", outcome: "broken", tone: "bad", facts: [{name: "limit", value: "0.5"}, {name: "given", value: "9"}]});
  expect(entry?.sentence).toContain("larger than the channel allows");
});

test("a delivery has the answer of its receiver", () => {
  const [entry] = entriesOf(historyOf([row("delivery.attempt", 0, {type: "order.filled", attempt: "2", status: "503"}, {subject: "evt_1", channel: "end_1", result: "failed"})]));
  expect(entry).toMatchObject({title: "Delivery", code: "order.filled", outcome: "failed · 503", tone: "bad"});
});

test("the plan of a reversal ends with the order of the other side, after the proof", () => {
  const steps = stepsOf(historyOf([
    row("signal.step", 0, {step: "open"}, {result: "begun"}), row("signal.step", 1, {step: "close"}, {result: "begun"}),
    row("signal.step", 2, {step: "close", order_id: "ord_1"}, {result: "filled"}), row("signal.step", 3, {step: "flat"}, {result: "begun"}),
    row("signal.step", 4, {step: "flat"}, {result: "proven"}), row("signal.step", 5, {step: "open"}, {result: "begun"}),
    row("signal.step", 6, {step: "open", order_id: "ord_2"}, {result: "filled"}),
  ]));
  expect(steps.map(({step, order}) => [step, order])).toEqual([["close", "ord_1"], ["flat", undefined], ["open", "ord_2"]]);
  expect(steps[1]?.proof).toContain("agree that nothing is left");
});

test("rules then and now", () => {
  const rows = [row("signal.rule", 0, {rule: "symbols", given: "BTCUSDT"}, {result: "passed"}), row("signal.rule", 0, {rule: "max_qty", limit: "0.5", given: "9"}, {result: "refused"})];
  const now = {status: "rejected", duplicate: false, testMode: false, plan: [], error: null, rules: [
    {rule: "max_qty", limit: "10", given: "9", passed: true}, {rule: "stop_required", limit: "true", passed: false},
  ]} satisfies SignalTest;
  expect(verdictsOf(historyOf(rows), now).map(({rule, then, now}) => [rule, then?.passed, now?.passed])).toEqual([
    ["symbols", true, undefined], ["max_qty", false, true], ["stop_required", undefined, false],
  ]);
});

test("the time between", () => {
  expect([0, 999, 1000, 1_980, 60_000, 61_000, 3_600_000, 90_000_000].map((milliseconds) => passed(at(0), at(milliseconds))))
    .toEqual(["+0 ms", "+999 ms", "+1.0 s", "+1.9 s", "+1 min", "+1 min 1 s", "+1 h", "+1 d 1 h"]);
  expect(passed(at(5), at(0))).toBe("+0 ms");
});

test("a signal in one line", () => {
  expect(termsOf(signal)).toBe("buy 9 BTCUSDT market");
  expect(termsOf({...signal, type: "limit", price: "1.0"})).toBe("buy 9 BTCUSDT limit at 1.0");
  expect(termsOf({...signal, action: "close", qty: ""})).toBe("close BTCUSDT");
});
