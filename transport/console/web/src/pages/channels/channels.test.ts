import {expect, test} from "vitest";
import {changeOf, conflictsOf, draftOf, firstRules, mistakeOf} from "./rules";
import {chartMessage, identified, scriptOf, signalOf} from "./templates";
import {countsOf, possibleWithoutTest, stateOf} from "./words";

const rules = {symbols: ["BTCUSDT"], maxQty: "0.500000000000000001", stopRequired: true, opposite: "reverse", maxAgeSec: 90};
const hook = {rules, allow: ["10.0.0.0/8"], allowRepeats: true};

test("rules are sent as they were read", () => {
  expect(changeOf(draftOf(hook), "chart")).toEqual({rules, allow: hook.allow, allowRepeats: true});
});

test("absent rules are left out", () => {
  const none = {...firstRules, symbols: " ", opposite: "", stopRequired: false};
  expect(changeOf(none, "webhook")).toEqual({rules: {symbols: [], stopRequired: false, maxAgeSec: 0}, allow: []});
});

test("mistakes are seen before sending", () => {
  expect(mistakeOf("maxQty", {...firstRules, maxQty: "0,5"})).toContain("point");
  expect(mistakeOf("maxQty", {...firstRules, maxQty: "0.5"})).toBeUndefined();
  expect(mistakeOf("maxAgeSeconds", {...firstRules, maxAgeSeconds: "1m"})).toContain("seconds");
  expect(mistakeOf("maxAgeSeconds", {...firstRules, maxAgeSeconds: "60"})).toBeUndefined();
});

test("the message of an alert has a stop loss where one is required", () => {
  expect(chartMessage("okx", rules, "t")).toContain('"stopLoss":{{plot("Stop")}}');
  expect(chartMessage("okx", {...rules, stopRequired: false}, "t")).not.toContain("stopLoss");
});

test("nothing in an example ends the quotes of a script", () => {
  const body = signalOf({exchange: "okx", symbol: "BTC'; rm -r /;'USDT", qty: "0.1\\", stopLoss: "$(x)"});
  expect(JSON.parse(body)).toEqual({action: "order", exchange: "okx", symbol: "BTCrm-r/USDT", side: "buy", qty: "0.1", stopLoss: "x"});
  for (const script of Object.values(scriptOf))
    expect(script({url: "https://example.com/in/h", secret: "whsec_x", headerPrefix: "X-Desk", body})).toContain("X-Desk-Signature");
});

test("the end of test mode names what becomes possible", () => {
  const session = {environments: {binance: "live", okx: "testnet"}};
  expect(possibleWithoutTest({rules}, session).join(" ")).toBe("Orders are placed on binance (live), okx (testnet). In BTCUSDT. " +
    "Up to 0.500000000000000001 of the base coin a position. Only with a stop loss. A signal against an open position closes it and opens one on the other side.");
  const open = {symbols: [], maxQty: null, stopRequired: false, opposite: "", maxAgeSec: 0};
  expect(possibleWithoutTest({rules: open}, session).join(" ")).toContain("In every instrument. Positions of any size. Also without a stop loss.");
});

test("a pause counts before test mode", () => {
  expect([stateOf({paused: true, testMode: true}), stateOf({paused: false, testMode: true}), stateOf({paused: false, testMode: false})]).toEqual(["paused", "test", "on"]);
});

test("a signal that counts has a request id", () => {
  expect(identified('{"action":"order","qty":0.10}\n', "one")).toBe('{"action":"order","qty":0.10,"requestId":"one"}');
  expect(identified("{}", "one")).toBe('{"requestId":"one"}');
  for (const body of ['{"requestId":"mine"}', "[1]", '{"action":', "null"]) expect(identified(body, "one")).toBe(body);
});

test("counts name what there is", () => {
  const none = {accepted: 0, running: 0, done: 0, rejected: 0, expired: 0, ignored: 0, test: 0};
  expect(countsOf({statuses: none, complete: true})).toBe("none");
  expect(countsOf({statuses: {...none, done: 41, rejected: 3, running: 1}, complete: true})).toBe("41 done · 3 refused · 1 under way");
  expect(countsOf({statuses: {...none, test: 5000}, complete: false})).toBe("5000 test of the newest");
});

test("fields that two users have changed show both", () => {
  const theirs = {...firstRules, maxQty: "0.5", symbols: "ETHUSDT"};
  expect(conflictsOf(firstRules, theirs, {...theirs, maxQty: "0.7", stopRequired: false})).toEqual([{name: "Largest position", theirs: "0.5", yours: "0.7"}]);
  expect(conflictsOf(firstRules, theirs, theirs)).toEqual([]);
});
