import {expect, test} from "vitest";
import type {Instrument} from "../../api/types";
import {emptyDraft, faultsOf, isComplete, requestOf, type Draft} from "./draft";

const instrument = {
  exchange: "binance", symbol: "BTCUSDT", tickSize: "0.1", qtyStep: "0.001", minQty: "0.001", maxQty: "100", maxMarketQty: "10",
  minNotional: "5", baseCurrency: "BTC", quoteCurrency: "USDT",
} as Instrument;
const tiny = {...instrument, tickSize: "0.0000001", qtyStep: "1", minQty: "1", maxQty: null, maxMarketQty: null, minNotional: null} as Instrument;
const draft = (change: Partial<Draft>): Draft => ({...emptyDraft, price: "65010", qty: "0.01", ...change});

test.each<[string, Partial<Draft>, Instrument, string, readonly string[] | undefined]>([
  ["price", {price: "65010.04"}, instrument, "Not a multiple of 0.1.", ["65010.0", "65010.1"]],
  ["price", {price: "65010,0"}, instrument, "Use a point for decimals, and nothing between thousands.", undefined],
  ["price", {price: "0.00000015", qty: "1"}, tiny, "Not a multiple of 0.0000001.", ["0.0000001", "0.0000002"]],
  ["qty", {qty: "0.0105"}, instrument, "Not a multiple of 0.001.", ["0.010", "0.011"]],
  ["qty", {qty: "0.0001"}, instrument, "At least 0.001 BTC.", ["0.001"]],
  ["qty", {qty: "100.001"}, instrument, "At most 100 BTC.", ["100"]],
  ["qty", {qty: "10.001", type: "market"}, instrument, "At most 10 BTC.", ["10"]],
  ["qty", {qty: "0.002", price: "100"}, instrument, "Worth at least 5 USDT.", ["0.050"]],
  ["qty", {type: "stop_market", qty: "0.002", price: "", triggerPrice: "100"}, instrument, "Worth at least 5 USDT.", ["0.050"]],
  ["stopLoss", {stopLoss: "65010"}, instrument, "Below 65\u202f010, to buy.", undefined],
  ["takeProfit", {takeProfit: "65009.9"}, instrument, "Above 65\u202f010, to buy.", undefined],
  ["stopLoss", {side: "sell", stopLoss: "65009.9"}, instrument, "Above 65\u202f010, to sell.", undefined],
  ["takeProfit", {type: "stop_market", triggerPrice: "66000", takeProfit: "65500"}, instrument, "Above 66\u202f000, to buy.", undefined],
])("a fault of %s in %o", (field, change, of, text, instead) => {
  expect(faultsOf(draft(change), of)).toEqual({[field]: instead ? {text, instead} : {text}});
});

test.each<[Partial<Draft>, Instrument]>([
  [{}, instrument], [{qty: "0.3", price: "0.1"}, {...instrument, qtyStep: "0.1", minNotional: null}], [{qty: " 1 ", price: "0.0000001"}, tiny],
  [{qty: "123456789012345678", price: "123456789012345678.1234567"}, tiny],
  [{qty: "0.001", price: "100", reduceOnly: true}, instrument], [{type: "market", price: "", qty: "0.001"}, instrument],
  [{type: "market", triggerPrice: "60000", stopLoss: "61000"}, instrument],
  [{price: "", qty: ""}, instrument], [{reduceOnly: true, stopLoss: "nonsense"}, instrument],
])("no fault in %o", (change, of) => expect(faultsOf(draft(change), of)).toEqual({}));

test("what a request has", () => {
  expect(requestOf(draft({postOnly: true, stopLoss: "64200.0", qty: " 0.010 "}), instrument)).toEqual({
    exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.010", price: "65010", stopLoss: "64200.0", timeInForce: "gtc", postOnly: true,
  });
  expect(requestOf(draft({type: "market", postOnly: true, reduceOnly: true, stopLoss: "1", triggerPrice: "2"}), instrument)).toEqual({
    exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01", reduceOnly: true,
  });
  expect(requestOf(draft({type: "stop_limit", triggerPrice: "65000", timeInForce: "ioc", postOnly: true}), instrument)).toEqual({
    exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "stop_limit", qty: "0.01", price: "65010", triggerPrice: "65000", timeInForce: "ioc",
  });
});

test("complete", () => {
  expect([draft({}), draft({price: ""}), draft({type: "market", price: ""}), draft({type: "stop_market"}), draft({qty: " "})].map(isComplete)).toEqual([true, false, true, false, false]);
});
