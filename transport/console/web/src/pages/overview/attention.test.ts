import {expect, test} from "vitest";
import type {Overview} from "../../api/types";
import {needsOf} from "./attention";

const nothing = {positions: [], counts: {unprotected: 0, unknown: 0}, unknown: [], venues: [], endpoints: [], channels: [], keys: []};
const needs = (known: object) => needsOf({...nothing, ...known} as unknown as Overview);
const account = {id: "c:okx", halted: false, lock: null, error: null};

test("the most urgent comes first", () => {
  expect(needs({
    keys: [{id: "soon", name: "a", expiresAt: "2026-12-01T00:00:00Z"}],
    channels: [{id: "h1", name: "trend", refused: 3, last: 5, reason: "max_qty", silentSince: null}, {id: "h2", name: "old", refused: 0, last: 0, reason: "", silentSince: "s"}],
    endpoints: [{id: "e1", name: "", disabled: "", undelivered: 4, complete: true}, {id: "e2", name: "x", disabled: "gone", undelivered: 0}],
    venues: [
      {exchange: "okx", status: "degraded", account: {...account, halted: true}},
      {exchange: "bybit", status: "down", account: null},
      {exchange: "binance", status: "up", account: {...account, id: "c:binance", lock: {limit: "daily_loss", until: "u", actual: "5", threshold: "4"}, error: {message: "m"}}},
    ],
    unknown: [{orderId: "o2"}], counts: {unprotected: 3, unknown: 1},
    positions: [{exchange: "okx", symbol: "A", side: "long", stopLoss: "1"}, {exchange: "okx", symbol: "B", side: "short", stopLoss: null}],
  }).map(({id}) => id)).toEqual([
    "position okx B short", "others positions without a stop loss", "o2", "halt c:okx", "lock c:binance", "venue okx", "account binance",
    "undelivered e1", "disabled e2", "refused h1", "silent h2", "soon",
  ]);
});

test("each leads to where it can be mended", () => {
  expect(needs({endpoints: [{id: "e1", name: "a", disabled: "gone", undelivered: 4, complete: false}]}).map(({href, text}) => [href, text])).toEqual([
    ["/endpoints/e1", "a: disabled, gone"], ["/deliveries?endpoint=e1&status=undelivered", "a: 4 or more undelivered"],
  ]);
});

test("nothing needs nobody", () => expect(needs({})).toEqual([]));
