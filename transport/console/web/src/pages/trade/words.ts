import type {Instrument, Order} from "../../api/types";
import type {Book} from "../../live/book";
import {shown} from "../../money/format";
import {plain} from "../../orders/words";

/** summaryOf returns an order in one line: "buy 0.01 BTCUSDT limit 65 010". */
export function summaryOf(order: Pick<Order, "side" | "qty" | "symbol" | "type"> & {readonly price?: string | null; readonly triggerPrice?: string | null}): string {
  const {side, qty, symbol, type, price, triggerPrice} = order;
  return [side, shown(qty), symbol, plain(type), price && shown(price), triggerPrice && `at ${shown(triggerPrice)}`].filter(Boolean).join(" ");
}

/** quoteOf returns the best bid and ask of a book in words. */
export function quoteOf(book: Book | undefined, {symbol, exchange}: Instrument): string {
  const [bid, ask] = [book?.bids[0]?.[0], book?.asks[0]?.[0]];
  const isCurrent = book?.trust.state === "live";
  return `${symbol} on ${exchange}: best bid ${shown(bid)}, best ask ${shown(ask)}${isCurrent ? "" : ", not current"}`;
}
