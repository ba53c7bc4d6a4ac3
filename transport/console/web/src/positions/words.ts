import type {Position} from "../api/types";

/** positionId returns the key of a position: of an instrument there may be one on each side. */
export function positionId({exchange, symbol, side}: Position): string {
  return `${exchange} ${symbol} ${side}`;
}

/** closingSide returns the side of the orders that reduce a position. */
export function closingSide({side}: Position): "buy" | "sell" {
  return side === "long" ? "sell" : "buy";
}
