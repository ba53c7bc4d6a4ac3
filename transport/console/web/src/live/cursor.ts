import type {Frame} from "./frame";

/** Cursor is the position in a topic. It finds frames that are missing or repeated. */
export class Cursor {
  #last: number | undefined;

  /** The frames of a topic with snapshots count from the first snapshot on. */
  constructor(readonly hasSnapshots: boolean) {}

  /** take returns whether a frame is the next one, comes before the snapshot, or breaks the sequence. */
  take({type, seq}: Frame): "next" | "early" | "broken" {
    if (type === "stale") {
      this.#last = undefined;
      return "next";
    }
    if (type === "snapshot" || type === "gap") {
      this.#last = seq;
      return "next";
    }
    if (this.#last === undefined && this.hasSnapshots) return "early";
    const follows = this.#last === undefined || seq === this.#last + 1;
    this.#last = follows ? seq : undefined;
    return follows ? "next" : "broken";
  }

  /** reset forgets the position: the connection is another one. */
  reset(): void {
    this.#last = undefined;
  }
}
