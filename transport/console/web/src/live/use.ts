import {useCallback, useSyncExternalStore} from "react";
import {token} from "../api/trading";
import type {Order, Position} from "../api/types";
import {isOpen} from "../orders/words";
import {Book} from "./book";
import {Candles} from "./candles";
import type {Held, Trust} from "./held";
import {Live, type Sink, type Status} from "./live";
import {Records} from "./records";
import {Tape} from "./tape";

const live = new Live({
  open: () => new WebSocket(`${location.origin.replace(/^http/, "ws")}/v1/stream`),
  token,
  random: () => Math.random(),
});

const setHidden = () => live.setHidden(document.visibilityState === "hidden");
document.addEventListener("visibilitychange", setHidden);
setHidden();

/** useLiveStatus returns the status of the connection to the stream. */
export function useLiveStatus(): Status {
  return useSyncExternalStore(live.watch, live.status);
}

// useTopic subscribes to a topic while a part of the page is shown; undefined before that.
function useTopic<S extends Sink>(name: string, make: () => S): S | undefined {
  const subscribe = useCallback(() => {
    live.acquire(name, make);
    return () => live.release(name);
  }, [name, make]);
  return useSyncExternalStore(subscribe, () => live.find(name) as S | undefined);
}

const makeBook = () => new Book();
const makeCandles = () => new Candles();
const makeTape = () => new Tape();
const makeOrders = () => new Records<Order>((order) => order.orderId, (order) => !isOpen(order));
const makePositions = () => new Records<Position>((p) => `${p.exchange} ${p.symbol} ${p.side}`, (p) => p.qty === "0");

/** useBook returns the order book of an instrument. */
export function useBook(exchange: string, symbol: string, depth: number): Book | undefined {
  return useTopic(`book:${exchange}:${symbol}:${depth}`, makeBook);
}

/** useTape returns the trades of an instrument. */
export function useTape(exchange: string, symbol: string): Tape | undefined {
  return useTopic(`trades:${exchange}:${symbol}`, makeTape);
}

/** useOrders returns the customer's orders, and renders again whenever one changes. */
export function useOrders(): Records<Order> | undefined {
  return useRendered(useTopic("orders", makeOrders));
}

/** usePositions returns the customer's positions, and renders again whenever one changes. */
export function usePositions(): Records<Position> | undefined {
  return useRendered(useTopic("positions", makePositions));
}

const never = () => () => undefined;
const none = () => 0;

/** useRendered renders again whenever what is held has changed. */
export function useRendered<H extends Held>(held: H | undefined): H | undefined {
  useSyncExternalStore(held?.watch ?? never, held?.version ?? none);
  return held;
}

/** useTrust returns whether what is held is current, and renders again when that changes. */
export function useTrust(held: Held | undefined): Trust | undefined {
  return useSyncExternalStore(held?.watch ?? never, () => held?.trust);
}

/** useCandles returns the candles of an instrument as the stream sends them. */
export function useCandles(exchange: string, symbol: string, timeframe: string): Candles | undefined {
  return useTopic(`kline:${exchange}:${symbol}:${timeframe}`, makeCandles);
}
