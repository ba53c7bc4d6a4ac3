import type {Frame} from "./frame";
import {Held} from "./held";

/** A trade of the venue. */
export interface Trade {
  readonly id: string;
  readonly price: string;
  readonly qty: string;
  readonly side: "buy" | "sell";
  readonly ts: string | null;
}

/** Trades that were not sent; null if their number is not known. */
export interface Missed {
  readonly missed: number | null;
}

const MOST = 200;

/** Tape holds the newest trades, the newest first, and marks where some are missing. */
export class Tape extends Held {
  readonly #lines: (Trade | Missed)[] = [];

  get lines(): readonly (Trade | Missed)[] {
    return this.#lines;
  }

  /** last is the newest trade. */
  get last(): Trade | undefined {
    return this.#lines.find((line): line is Trade => "price" in line);
  }

  override apply({type, data, missed}: Frame): void {
    this.#lines.unshift(type === "gap" ? {missed: missed ?? null} : data as Trade);
    if (this.#lines.length > MOST) this.#lines.length = MOST;
    this.trusted();
  }

  // Trades of the time without a connection are not repeated.
  override distrust(why: string): void {
    const [newest] = this.#lines;
    if (newest && "price" in newest) this.#lines.unshift({missed: null});
    super.distrust(why);
  }
}
