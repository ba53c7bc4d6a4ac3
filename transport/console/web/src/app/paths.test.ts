import {expect, test} from "vitest";
import {orderIn, pathOfOrder, pathOfOrigin, pathOfRecord} from "./paths";

const customerPages = ["/orders", "/signals", "/deliveries", "/channels", "/endpoints"].map((path) => ({path}));

test("an order is listed whatever its status is", () => expect(pathOfOrder("ord_1")).toBe("/orders?status=all&order=ord_1"));

test("only an order of a channel comes from a signal", () => {
  expect(pathOfOrigin({channelId: "hook_1", requestId: "a&b"})).toBe("/signals?channel=hook_1&text=a%26b");
  expect(pathOfOrigin({channelId: null, requestId: "r-1"})).toBeUndefined();
  expect(pathOfOrigin({channelId: "hook_1", requestId: null})).toBeUndefined();
});

test.each([
  ["of an order", `{"id":"evt_1","data":{"orderId":"ord_1"}}`, "ord_1"], ["of a position", `{"data":{"symbol":"BTCUSDT"}}`, undefined],
  ["without data", "{}", undefined], ["null", "null", undefined], ["that is no JSON", "<html>", undefined], ["that is gone", null, undefined],
])("the order in a body %s", (_, body, want) => expect(orderIn({body})).toBe(want));

test.each([
  ["ord_1M8", "/orders?status=all&order=ord_1M8"], ["sig_1M8", "/signals/sig_1M8"], ["hook_1M8", "/channels/hook_1M8"], ["end_1M8", "/endpoints/end_1M8"], ["evt_1M8", "/deliveries?eventId=evt_1M8"],
  ["fil_1M8", undefined], ["ord_1M8 and more", undefined], ["ord_", undefined], ["https://example.com/ord_1", undefined], ["", undefined],
])("the path of %j", (id, want) => expect(pathOfRecord(id, customerPages)).toBe(want));

test("a user without the page of a record", () => {
  expect(["ord_1M8", "evt_1M8", "hook_1M8"].map((id) => pathOfRecord(id, [{path: "/channels"}, {path: "/order"}]))).toEqual([undefined, undefined, "/channels/hook_1M8"]);
});
