import type {Order} from "../../api/types";
import {shown} from "../../money/format";
import {plain} from "../../orders/words";

/** summaryOf returns an order in one line: "buy 0.01 BTCUSDT limit 65 010". */
export function summaryOf(order: Pick<Order, "side" | "qty" | "symbol" | "type"> & {readonly price?: string | null; readonly triggerPrice?: string | null}): string {
  const {side, qty, symbol, type, price, triggerPrice} = order;
  return [side, shown(qty), symbol, plain(type), price && shown(price), triggerPrice && `at ${shown(triggerPrice)}`].filter(Boolean).join(" ");
}
