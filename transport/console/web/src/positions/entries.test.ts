import {expect, test} from "vitest";
import type {Order, Position} from "../api/types";
import {entriesOf} from "./entries";

const position = {exchange: "binance", symbol: "BTCUSDT", side: "long", qty: "0.01"} as Position;
const leg = (status: "pending" | "live" | "triggered" | "cancelled" | "failed") => ({status, price: "64000", orderId: null});
const entry = {
  orderId: "ord_1", exchange: "binance", symbol: "BTCUSDT", side: "buy", reduceOnly: false, entryOrderId: null, filledQty: "0.01",
  protection: {stopLoss: leg("live"), takeProfit: null},
} as Order;

test.each<[string, Partial<Order>, boolean]>([
  ["with a live stop", {}, true], ["with a target that is being placed", {protection: {stopLoss: null, takeProfit: leg("pending")}}, true],
  ["whose protection failed", {protection: {stopLoss: leg("failed"), takeProfit: leg("cancelled")}}, false], ["without protection", {protection: null}, false],
  ["without a fill", {filledQty: "0"}, false], ["that reduces", {reduceOnly: true}, false], ["of the other side", {side: "sell"}, false],
  ["that protects", {entryOrderId: "ord_0"}, false], ["of another instrument", {symbol: "ETHUSDT"}, false], ["of another venue", {exchange: "okx"}, false],
])("an order %s", (_, change, want) => {
  expect(entriesOf(position, [{...entry, ...change}])).toHaveLength(want ? 1 : 0);
});
