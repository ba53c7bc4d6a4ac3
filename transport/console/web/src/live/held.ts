import type {Frame} from "./frame";
import type {Sink} from "./live";

/** Trust is whether what is held of a topic is current. */
export interface Trust {
  readonly state: "waiting" | "live" | "stale";
  /** Why it is stale. */
  readonly why?: string;
  /** Since when, as of Date.now. */
  readonly since?: number;
}

/** Held is the data of one topic outside of React: painters and hooks watch it. */
export abstract class Held implements Sink {
  #trust: Trust = {state: "waiting"};
  #version = 0;
  readonly #watchers = new Set<() => void>();

  abstract apply(frame: Frame): void;

  get trust(): Trust {
    return this.#trust;
  }

  distrust(why: string): void {
    if (this.#trust.state !== "stale") this.#trust = {state: "stale", why, since: Date.now()};
    this.changed();
  }

  /** version changes whenever anything does. */
  readonly version = (): number => this.#version;

  /** watch calls changed after every change, until the function that it returns is called. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  protected trusted(): void {
    if (this.#trust.state !== "live") this.#trust = {state: "live"};
    this.changed();
  }

  protected changed(): void {
    this.#version++;
    for (const watcher of this.#watchers) watcher();
  }
}
