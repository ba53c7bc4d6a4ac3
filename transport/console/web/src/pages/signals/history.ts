// What happened to a signal, in the order in which it happened: pure functions over the answer
// of the service.
import type {JournalRow, RuleResult, Signal, SignalHistory, SignalTest} from "../../api/types";
import {reasons, stepText} from "../../app/text/signals";
import type {Tone} from "../../ui/State";

/** One thing that happened. */
export interface Entry {
  readonly id: string;
  readonly at: string;
  readonly kind: "signal" | "rule" | "order" | "fill" | "event" | "delivery";
  readonly title: string;
  /** The name in it that is code: a rule, an event type, an id. */
  readonly code?: string;
  readonly outcome?: string;
  readonly tone: Tone;
  readonly facts: readonly Fact[];
  /** What it means. */
  readonly sentence?: string;
  /** The order that it is about. */
  readonly order?: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** entriesOf returns everything on one time axis, oldest first. */
export function entriesOf(history: SignalHistory): Entry[] {
  const rows = history.rows.map((row) => ({seq: row.seq, entry: ofRow(row, history)}));
  const events = history.events.map(({id, seq, at, type, data}) => ({seq, entry: {
    id, at, kind: "event", title: "Event", code: type, tone: "plain", facts: [{name: "id", value: id}, ...factsOf(data)],
  } satisfies Entry}));
  const fills = history.fills.map(({id, orderId, at, qty, price, fee, feeCurrency}) => ({seq: 0, entry: {
    id, at, kind: "fill", title: "Filled", code: `${qty} at ${price}`, tone: "good", order: orderId,
    facts: fee === undefined ? [] : [{name: "fee", value: [fee, feeCurrency].filter(Boolean).join(" ")}],
  } satisfies Entry}));
  return [...fills, ...rows, ...events]
    .sort((a, b) => a.entry.at < b.entry.at ? -1 : a.entry.at > b.entry.at ? 1 : a.seq - b.seq)
    .map(({entry}) => entry);
}

// What an event repeats of its order and the signal.
const ofTheSignal = ["orderId", "exchange", "symbol", "side", "orderType", "source", "comment", "channelId", "channel"];

function factsOf(data: object): Fact[] {
  return Object.entries(data).filter(([name, value]) => !ofTheSignal.includes(name) && value !== null && value !== "")
    .map(([name, value]) => ({name, value: typeof value === "string" ? value : JSON.stringify(value)}));
}

function ofRow(row: JournalRow, {orders}: SignalHistory): Entry {
  const plain: Entry = {id: row.id, at: row.at, kind: "signal", title: words(row.kind), tone: "plain", facts: row.fields, ...(row.result && {outcome: words(row.result)})};
  const [group] = row.kind.split(".");
  if (row.kind === "signal.rule") return ruleEntry(row, plain);
  if (row.kind === "signal.step") return stepEntry(row, plain);
  if (row.kind === "signal.answer" || row.kind === "signal.expired") return {...plain, title: row.kind === "signal.answer" ? "Finished" : "Expired", tone: toneOf(row.result), facts: without(row, "status", "order_id", "order_status")};
  if (row.kind === "signal.received") return {...plain, title: "Received", outcome: verifiedText[field(row, "verified_by")] ?? "", facts: row.fields.filter(({name}) => name.startsWith("x_") || name === "traceparent" || name === "mode")};
  if (row.kind === "signal.repeat") return {...plain, title: "Received again", outcome: "not executed again", facts: []};
  if (group === "delivery") return deliveryEntry(row, plain);
  if (group !== "order") return plain;
  const leg = orders.find(({id}) => id === row.subject)?.protects;
  return {
    ...plain, kind: "order", order: row.subject, title: leg ? words(leg) : "Order", tone: toneOf(row.result),
    outcome: row.kind === "order.status" ? `${words(field(row, "from"))} → ${words(field(row, "to"))}` : words(row.kind.slice("order.".length)),
    facts: without(row, "from", "to", "x_request_id", "traceparent").filter(({name, value}) => name !== "filled_qty" || value !== "0"),
  };
}

function ruleEntry(row: JournalRow, plain: Entry): Entry {
  const rule = field(row, "rule");
  const refused = row.result === "refused";
  return {
    ...plain, kind: "rule", title: "Rule", code: rule, outcome: refused ? "broken" : "passed", tone: refused ? "bad" : "good", facts: without(row, "rule"),
    ...(refused && reasons[rule] && {sentence: reasons[rule].why}),
  };
}

function stepEntry(row: JournalRow, plain: Entry): Entry {
  const step = field(row, "step");
  const order = field(row, "order_id");
  const test = row.result === "test";
  return {
    ...plain, title: test ? "Test mode" : "Step", code: test ? "" : stepText[step] ?? step, tone: toneOf(row.result), facts: without(row, "step", "order_id", "status"),
    outcome: test ? "nothing sent" : words(row.result ?? ""), ...(order && {order}),
    ...(row.result === "proven" && {sentence: FLAT}), ...(row.result === "waits" && {sentence: "The protection of the closed position is being cancelled."}),
  };
}

function deliveryEntry(row: JournalRow, plain: Entry): Entry {
  const status = field(row, "status");
  return {
    ...plain, kind: "delivery", title: row.kind === "delivery.resent" ? "Resent" : "Delivery", tone: row.result === "delivered" ? "good" : row.result === "pending" ? "working" : "bad",
    code: field(row, "type"), outcome: [words(row.result ?? ""), status].filter(Boolean).join(" · "),
    facts: [{name: "endpoint", value: row.channel ?? ""}, ...without(row, "type", "status")],
  };
}

const FLAT = "The venue's list of positions, the executions and the protective orders agree that nothing is left.";

const verifiedText: Readonly<Record<string, string>> = {
  signature: "signature good", channel_token: "token good", administration: "fired by hand",
};

/** field returns the value of a row by its name. */
export function field(row: JournalRow, name: string): string {
  return row.fields.find((one) => one.name === name)?.value ?? "";
}

function without(row: JournalRow, ...names: string[]): Fact[] {
  return row.fields.filter(({name, value}) => !names.includes(name) && value !== "");
}

const better: Readonly<Record<string, string>> = {rejected: "refused", proven: "confirmed", waits: "waiting"};

function words(name: string): string {
  return better[name] ?? name.replaceAll(/[._]/g, " ");
}

/** toneOf returns how a status or result is shown. */
export function toneOf(status: string | undefined): Tone {
  if (["done", "filled", "proven", "confirmed", "passed", "delivered"].includes(status ?? "")) return "good";
  if (["rejected", "refused", "expired", "failed"].includes(status ?? "")) return "bad";
  if (["accepted", "running", "begun", "pending", "open", "partially_filled", "waits", "untriggered"].includes(status ?? "")) return "working";
  return status === "unknown" ? "unknown" : "plain";
}

const SECOND = 1000;
const units: readonly (readonly [milliseconds: number, unit: string])[] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"]];

/** passed returns the time between two times: in milliseconds, or in the two largest units. */
export function passed(from: string, to: string): string {
  const milliseconds = Math.max(0, new Date(to).getTime() - new Date(from).getTime());
  if (milliseconds < SECOND) return `+${milliseconds} ms`;
  const at = units.findIndex(([size]) => milliseconds >= size);
  const [size, unit] = units[at] ?? [0, ""];
  if (size === 0) return `+${Math.floor(milliseconds / SECOND)}.${Math.floor(milliseconds % SECOND / 100)} s`;
  const [next, nextUnit] = units[at + 1] ?? [SECOND, "s"];
  const rest = Math.floor(milliseconds % size / next);
  return `+${Math.floor(milliseconds / size)} ${unit}${rest > 0 ? ` ${rest} ${nextUnit}` : ""}`;
}

/** A step of the plan that was carried out. */
export interface Step {
  readonly step: string;
  readonly results: readonly string[];
  readonly order?: string;
  readonly proof?: string;
}

/** stepsOf returns the plan as it was carried out, in order. A step that begins again, such as the order after the close of an opposite position, is where it began last. */
export function stepsOf({rows}: SignalHistory): Step[] {
  const steps = new Map<string, Step>();
  for (const row of rows) {
    const step = row.kind === "signal.step" ? field(row, "step") : "";
    if (step === "") continue;
    if (row.result === "begun") steps.delete(step);
    const before = steps.get(step);
    const order = field(row, "order_id") || before?.order;
    steps.set(step, {
      step, results: [...before?.results ?? [], words(row.result ?? "")], ...(order && {order}),
      ...(row.result === "proven" ? {proof: FLAT} : before?.proof && {proof: before.proof}),
    });
  }
  return [...steps.values()];
}

/** A rule when the signal was received, and now. */
export interface Verdict {
  readonly rule: string;
  readonly then?: RuleResult;
  readonly now?: RuleResult;
}

/** verdictsOf returns each rule with its result then and now; a rule that was not reached, or is not one any more, has none. */
export function verdictsOf({rows}: SignalHistory, test: SignalTest): Verdict[] {
  const then = new Map<string, RuleResult>();
  for (const row of rows) {
    if (row.kind !== "signal.rule") continue;
    const rule = field(row, "rule");
    then.set(rule, {rule, limit: field(row, "limit"), given: field(row, "given"), passed: row.result === "passed"});
  }
  const now = new Map(test.rules.map((rule) => [rule.rule, rule]));
  return [...new Set([...then.keys(), ...now.keys()])].map((rule) => {
    const [before, after] = [then.get(rule), now.get(rule)];
    return {rule, ...(before && {then: before}), ...(after && {now: after})};
  });
}

/** termsOf returns what a signal says in one line. */
export function termsOf({action, side, qty, symbol, type, price}: Signal): string {
  return [action === "order" ? side : action, qty, symbol, action === "order" && type, price && `at ${price}`].filter(Boolean).join(" ");
}
