import type {Order, Position} from "../api/types";
import {closingSide} from "./words";

/** entriesOf returns the orders that opened a position and whose stop loss and take profit can be changed: of one that is filled, only while something protects it. */
export function entriesOf(position: Position, orders: readonly Order[]): readonly Order[] {
  return orders.filter((order) => order.exchange === position.exchange && order.symbol === position.symbol && order.side !== closingSide(position)
    && !order.reduceOnly && order.entryOrderId === null && order.filledQty !== "0" && isProtected(order));
}

function isProtected({protection}: Order): boolean {
  return [protection?.stopLoss, protection?.takeProfit].some((leg) => leg?.status === "live" || leg?.status === "pending");
}
