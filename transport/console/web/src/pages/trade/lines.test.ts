import {expect, test} from "vitest";
import type {Fill, Order, Position} from "../../api/types";
import {linesOf, markersOf} from "./lines";

const order = {side: "buy", qty: "0.01", symbol: "BTCUSDT", type: "limit", price: "65010", triggerPrice: null, protects: null, status: "open"} as Order;
const stop = {...order, side: "sell", type: "stop_market", price: null, triggerPrice: "64200", protects: "stop_loss"} as Order;
const position = {side: "long", qty: "0.02", entryPrice: "64980", stopLoss: "64200", takeProfit: "66000"} as Position;

test("orders, protection and positions are lines with their text", () => {
  expect(linesOf([order, stop, {...order, type: "market", price: null}], [position])).toEqual([
    {price: "65010", title: "buy 0.01 limit", look: "up"}, {price: "64200", title: "stop loss", look: "down"},
    {price: "64980", title: "long 0.02", look: "dim"}, {price: "66000", title: "take profit", look: "down"},
  ]);
  expect(linesOf([{...order, status: "unknown"}], [])).toEqual([{price: "65010", title: "buy 0.01 limit, unknown", look: "up"}]);
  expect(linesOf([], [{...position, side: "short", entryPrice: null, takeProfit: null}])).toEqual([{price: "64200", title: "stop loss", look: "up"}]);
});

test("the fills of a candle are one mark a side, at its start", () => {
  const fill = (executedAt: string | null, side: "buy" | "sell", qty: string, price = "65000") => ({executedAt, side, qty, price}) as Fill;
  const start = Date.UTC(2026, 10, 20, 9) / 1000;
  const fills = [
    fill("2026-11-20T09:05:01Z", "sell", "0.03"), fill("2026-11-20T09:04:59.999Z", "buy", "0.1"), fill("2026-11-20T09:00:00Z", "buy", "0.2"), fill(null, "buy", "1"),
  ];
  expect(markersOf(fills, 300, (token) => token).map(({time, position: at, shape, color, text}) => [time, at, shape, color, text])).toEqual([
    [start, "belowBar", "arrowUp", "up", "bought 0.3 in 2 fills"], [start + 300, "aboveBar", "arrowDown", "down", "sold 0.03 at 65\u202f000"],
  ]);
});
