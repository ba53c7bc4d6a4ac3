import type {Candle} from "../api/types";
import type {Frame} from "./frame";
import {Held} from "./held";

const MOST = 5_000;

/** Candles holds the candles that the stream has sent, the present one last. */
export class Candles extends Held {
  readonly #candles = new Map<string, Candle>();

  get all(): ReadonlyMap<string, Candle> {
    return this.#candles;
  }

  override apply({data}: Frame): void {
    const candle = data as Candle;
    this.#candles.set(candle.start, candle);
    const [oldest] = this.#candles.keys();
    if (this.#candles.size > MOST && oldest) this.#candles.delete(oldest);
    this.trusted();
  }
}
