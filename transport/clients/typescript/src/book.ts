import { compare, type Decimal } from "./decimal.js";

/** Price and quantity of a level, in quote currency and base coin. */
export type Level = [price: Decimal, qty: Decimal];

export interface BookLevels {
  bids: Level[];
  asks: Level[];
}

/** The best levels of an order book, kept from a snapshot and the changes after it. */
export class OrderBook {
  /** Best first. */
  readonly bids: Level[] = [];
  /** Best first. */
  readonly asks: Level[] = [];
  /** Whether the book must not be used until the next snapshot. True before the first one. */
  stale = true;
  seq = 0;
  /** When the service made the newest message; empty before the first. */
  ts = "";
  venueTs: string | null = null;

  /** The best bid; undefined if there is none or the book is stale. */
  get bestBid(): Level | undefined {
    return this.stale ? undefined : this.bids[0];
  }

  /** The best ask; undefined if there is none or the book is stale. */
  get bestAsk(): Level | undefined {
    return this.stale ? undefined : this.asks[0];
  }

  /** Replaces the book. */
  set(levels: BookLevels): void {
    this.bids.splice(0, Infinity, ...levels.bids);
    this.asks.splice(0, Infinity, ...levels.asks);
    this.stale = false;
  }

  /** Applies changes: each level replaces the quantity at its price; zero removes it. */
  apply(changes: BookLevels): void {
    for (const level of changes.bids) change(this.bids, level, -1);
    for (const level of changes.asks) change(this.asks, level, 1);
  }
}

/** Changes a level of a side whose prices rise (direction 1) or fall (-1). */
function change(side: Level[], level: Level, direction: 1 | -1): void {
  let low = 0, high = side.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(side[middle]![0], level[0]) === -direction) low = middle + 1;
    else high = middle;
  }
  const found = low < side.length && compare(side[low]![0], level[0]) === 0;
  if (compare(level[1], "0") === 0) {
    if (found) side.splice(low, 1);
  } else side.splice(low, found ? 1 : 0, level);
}
