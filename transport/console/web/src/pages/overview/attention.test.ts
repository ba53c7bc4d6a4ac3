import {expect, test} from "vitest";
import {needsOf, type Known} from "./attention";

const now = new Date("2026-11-27T12:00:00Z");
const ids = (known: object) => needsOf(known as Known, now).map(({id}) => id);

test("the most urgent comes first", () => {
  expect(ids({
    keys: [{id: "soon", name: "a", expiresAt: "2026-12-01T00:00:00Z"}, {id: "later", name: "b", expiresAt: "2027-12-01T00:00:00Z"},
      {id: "ended", name: "c", expiresAt: "2026-11-01T00:00:00Z"}, {id: "revoked", name: "d", expiresAt: "2026-12-01T00:00:00Z", revokedAt: "2026-11-01T00:00:00Z"}],
    endpoints: [{id: "e1", name: "", url: "https://example.com", disabled: ""}, {id: "e2", name: "x", disabled: "gone"}],
    undelivered: {e1: "4"},
    venues: [{exchange: "okx", connected: true, status: "degraded"}, {exchange: "bybit", connected: false, status: "down"}, {exchange: "binance", connected: true, status: "up"}],
    accounts: [{id: "c:okx", exchange: "okx", halted: true, lock: null}, {id: "c:bybit", exchange: "bybit", halted: false, lock: {limit: "daily_loss", until: "u", actual: "5", threshold: "4"}}],
    orders: [{orderId: "o1", status: "open"}, {orderId: "o2", status: "unknown"}],
    positions: [{exchange: "okx", symbol: "A", side: "long", stopLoss: "1"}, {exchange: "okx", symbol: "B", side: "short", stopLoss: null}],
  })).toEqual(["position okx B short", "o2", "halt c:okx", "lock c:bybit", "venue okx", "disabled e2", "undelivered e1", "soon"]);
});

test("each leads to where it can be mended", () => {
  const needs = needsOf({endpoints: [{id: "e1", name: "a", disabled: "gone"}], undelivered: {e1: "4"}} as unknown as Known, now);
  expect(needs.map(({href}) => href)).toEqual(["/endpoints/e1", "/deliveries?endpoint=e1&status=undelivered"]);
});

test("what was not read needs nobody", () => expect(ids({})).toEqual([]));
