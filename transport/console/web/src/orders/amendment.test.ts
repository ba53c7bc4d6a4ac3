import {expect, test} from "vitest";
import type {Order} from "../api/types";
import {changeOf, fieldsOf, type Fields} from "./amendment";

const limit = {type: "limit", status: "open", price: "100.50", triggerPrice: null, qty: "1", stopLoss: "90", takeProfit: null, reduceOnly: false} as Order;
const same: Fields = {price: "100.50", triggerPrice: "", qty: "1", stopLoss: "90", takeProfit: ""};

test("an order has the fields of its type", () => {
  expect(fieldsOf(limit)).toEqual(["price", "qty", "stopLoss", "takeProfit"]);
  expect(fieldsOf({...limit, reduceOnly: true, triggerPrice: "99", status: "untriggered"} as Order)).toEqual(["triggerPrice", "price", "qty"]);
});

test.each<[string, Partial<Fields>, object | undefined]>([
  ["nothing", {}, undefined],
  ["the same in another notation", {price: "100.5", qty: "1.0"}, undefined],
  ["a price", {price: "100.6"}, {price: "100.6"}],
  ["price and quantity", {price: "101", qty: "2"}, {price: "101", qty: "2"}],
  ["a stop loss removed", {stopLoss: ""}, {stopLoss: null}],
  ["a take profit added", {takeProfit: "120"}, {takeProfit: "120"}],
  ["terms and protection", {price: "101", stopLoss: "91"}, undefined],
  ["no quantity", {qty: ""}, undefined],
  ["a comma", {price: "100,5"}, undefined],
])("changing %s", (_, fields, want) => expect(changeOf(limit, {...same, ...fields}).body).toEqual(want));
