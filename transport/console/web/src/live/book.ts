import {compare} from "../money/decimal";
import type {Frame} from "./frame";
import {Held} from "./held";

/** A level of an order book: price and quantity. */
export type Level = readonly [price: string, qty: string];

interface Levels {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Book holds the best levels of an order book, the best first. */
export class Book extends Held {
  #bids: Level[] = [];
  #asks: Level[] = [];

  get bids(): readonly Level[] {
    return this.#bids;
  }

  get asks(): readonly Level[] {
    return this.#asks;
  }

  override apply({type, data}: Frame): void {
    if (type === "stale") return this.distrust("The book of the venue has a gap.");
    const {bids, asks} = data as Levels;
    if (type === "snapshot") [this.#bids, this.#asks] = [[...bids], [...asks]];
    else {
      for (const level of bids) put(this.#bids, level, -1);
      for (const level of asks) put(this.#asks, level, 1);
    }
    this.trusted();
  }
}

// put replaces the level at a price, or removes it if nothing is left there. The order of the
// prices is 1 if they rise, -1 if they fall.
function put(levels: Level[], level: Level, order: 1 | -1): void {
  let [low, high] = [0, levels.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(priceAt(levels, middle), level[0]) * order < 0) low = middle + 1;
    else high = middle;
  }
  const exists = low < levels.length && compare(priceAt(levels, low), level[0]) === 0;
  if (level[1] === "0") levels.splice(low, exists ? 1 : 0);
  else levels.splice(low, exists ? 1 : 0, level);
}

function priceAt(levels: readonly Level[], at: number): string {
  const level = levels[at];
  if (!level) throw new RangeError(`no level ${at}`);
  return level[0];
}
