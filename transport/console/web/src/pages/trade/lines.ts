import type {SeriesMarker, UTCTimestamp} from "lightweight-charts";
import type {Fill, Order, Position} from "../../api/types";
import {sum, type Decimal} from "../../money/decimal";
import {shown} from "../../money/format";
import {plain} from "../../orders/words";
import {secondsOf} from "./bars";

/** A price line of the chart. */
export interface Line {
  readonly price: Decimal;
  readonly title: string;
  readonly look: "up" | "down" | "dim";
}

/** linesOf returns the lines of working orders, and of positions with what protects them. */
export function linesOf(orders: readonly Order[], positions: readonly Position[]): readonly Line[] {
  const lines = orders.flatMap((order): Line[] => {
    const price = order.triggerPrice ?? order.price;
    return price === null ? [] : [{price, title: order.protects ? plain(order.protects) : `${order.side} ${shown(order.qty)} ${plain(order.type)}${order.status === "unknown" ? ", unknown" : ""}`, look: order.side === "buy" ? "up" : "down"}];
  });
  // Some venues attach protection to the position, so that no order carries it.
  const hasLine = (price: Decimal) => orders.some((order) => order.protects !== null && order.triggerPrice === price);
  for (const {side, qty, entryPrice, stopLoss, takeProfit} of positions) {
    const look = side === "long" ? "down" : "up";
    if (entryPrice !== null) lines.push({price: entryPrice, title: `${side} ${shown(qty)}`, look: "dim"});
    for (const [price, title] of [[stopLoss, "stop loss"], [takeProfit, "take profit"]] as const)
      if (price !== null && !hasLine(price)) lines.push({price, title, look});
  }
  return lines;
}

/** markersOf returns the marks of fills at the candles in which they were, one for each side of a candle. */
export function markersOf(fills: readonly Fill[], candleSeconds: number, colour: (token: "up" | "down") => string): SeriesMarker<UTCTimestamp>[] {
  const groups = new Map<string, {readonly time: number; readonly fills: Fill[]}>();
  for (const fill of fills) {
    if (fill.executedAt === null) continue;
    const at = secondsOf(fill.executedAt);
    const time = at - at % candleSeconds;
    const key = `${time} ${fill.side}`;
    const group = groups.get(key) ?? {time, fills: []};
    group.fills.push(fill);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => a.time - b.time).map(({time, fills: [first, ...more]}) => {
    const isBuy = first?.side === "buy";
    const qty = sum([first, ...more].map((fill) => fill?.qty));
    const where = more.length > 0 ? `in ${more.length + 1} fills` : `at ${shown(first?.price)}`;
    return {
      time: time as UTCTimestamp, position: isBuy ? "belowBar" : "aboveBar", shape: isBuy ? "arrowUp" : "arrowDown",
      color: colour(isBuy ? "up" : "down"), text: `${isBuy ? "bought" : "sold"} ${shown(qty)} ${where}`,
    };
  });
}
