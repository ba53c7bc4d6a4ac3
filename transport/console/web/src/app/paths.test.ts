import {expect, test} from "vitest";
import {orderIn, pathOfOrder, pathOfOrigin} from "./paths";

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
