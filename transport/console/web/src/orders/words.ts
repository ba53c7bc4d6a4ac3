import type {Order} from "../api/types";

/** isOpen reports whether an order can still change. */
export function isOpen({status}: Order): boolean {
  return status === "pending" || status === "untriggered" || status === "open" || status === "partially_filled" || status === "unknown";
}

/** isChangeable reports whether an order can be changed itself: what protects another one is changed through that. */
export function isChangeable(order: Order): boolean {
  return isOpen(order) && order.entryOrderId === null;
}

/** plain turns a name of the API into words: "stop_market" into "stop market". */
export function plain(name: string): string {
  return name.replaceAll("_", " ");
}

/** nameOf names an order for a title: "buy 0.01 BTCUSDT on okx". */
export function nameOf(order: Order): string {
  return `${order.side} ${order.qty} ${order.symbol} on ${order.exchange}`;
}

export const UNKNOWN_TEXT = "The venue has not proven what became of it. It is being asked; the order is not sent again.";
