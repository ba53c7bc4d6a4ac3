import type {Frame} from "./frame";
import {Held} from "./held";

const MOST = 1_000;

/** Records holds the customer's records of a topic by their keys, in the order of their first appearance. */
export class Records<T> extends Held {
  #records = new Map<string, T>();

  /** A record that has ended is the first to go when there are too many. */
  constructor(private readonly keyOf: (record: T) => string, private readonly hasEnded: (record: T) => boolean) {
    super();
  }

  /** all returns the records, those that have ended too. */
  all(): readonly T[] {
    return [...this.#records.values()];
  }

  /** list returns the records that have not ended. */
  list(): readonly T[] {
    return this.all().filter((record) => !this.hasEnded(record));
  }

  /** find returns the first record of which a condition holds, ended or not. */
  find(condition: (record: T) => boolean): T | undefined {
    return this.all().find(condition);
  }

  override apply({type, data}: Frame): void {
    if (type === "snapshot") this.#records = new Map((data as T[]).map((record) => [this.keyOf(record), record]));
    else this.#put(data as T);
    this.trusted();
  }

  #put(record: T): void {
    this.#records.set(this.keyOf(record), record);
    if (this.#records.size <= MOST) return;
    for (const [key, old] of this.#records) {
      if (!this.hasEnded(old)) continue;
      this.#records.delete(key);
      return;
    }
  }
}
