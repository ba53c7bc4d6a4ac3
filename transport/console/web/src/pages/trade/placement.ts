import {CallError, isOutcomeUnknown} from "../../api/client";
import type {Items, Order, OrderRequest} from "../../api/types";

/** Ports are how a placement reaches the service. */
export interface Ports {
  place(request: OrderRequest): Promise<Order>;
  /** find returns the orders that have a requestId. */
  find(requestId: string): Promise<Items<Order>>;
}

/** What has become of a placement. While it is sending or unknown, nothing else is sent for it. */
export type Outcome =
  | {readonly state: "sending"}
  | {readonly state: "placed"; readonly order: Order}
  | {readonly state: "refused"; readonly failure: Error}
  | {readonly state: "unknown"; readonly since: number}
  /** The service has no such order, and no longer works on a request for one. */
  | {readonly state: "absent"};

const FIRST_LOOK_MILLISECONDS = 1_000;
const LONGEST_LOOK_MILLISECONDS = 10_000;
/** Longer than the service works on a request, and than its answer takes. */
const ABSENT_AFTER_MILLISECONDS = 40_000;

/**
 * Placement sends one order, once. If the outcome is not received, it looks the order up by its
 * requestId until there is one, or until there can be none.
 */
export class Placement {
  #outcome: Outcome = {state: "sending"};
  readonly #sentAt = Date.now();
  readonly #watchers = new Set<() => void>();

  constructor(readonly request: OrderRequest & {readonly requestId: string}, private readonly ports: Ports) {
    ports.place(request).then(
      (order) => this.#become({state: "placed", order}),
      (failure: Error) => this.#failed(failure),
    );
  }

  readonly outcome = (): Outcome => this.#outcome;

  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** isOpen reports whether it is not known yet what has become of it. */
  get isOpen(): boolean {
    return this.#outcome.state === "sending" || this.#outcome.state === "unknown";
  }

  #failed(failure: Error): void {
    // A request that was handled before has the order that it placed.
    if (failure instanceof CallError && failure.code === "duplicate_request" && failure.order) this.#become({state: "placed", order: failure.order});
    else if (isOutcomeUnknown(failure)) {
      this.#become({state: "unknown", since: Date.now()});
      void this.#look(FIRST_LOOK_MILLISECONDS);
    } else this.#become({state: "refused", failure});
  }

  async #look(pause: number): Promise<void> {
    const isLate = Date.now() - this.#sentAt > ABSENT_AFTER_MILLISECONDS;
    try {
      const {items: [order]} = await this.ports.find(this.request.requestId);
      if (order) return this.#become({state: "placed", order});
      if (isLate) return this.#become({state: "absent"});
    } catch {
      // It is looked up until there is an answer.
    }
    setTimeout(() => void this.#look(Math.min(pause * 2, LONGEST_LOOK_MILLISECONDS)), pause);
  }

  #become(outcome: Outcome): void {
    this.#outcome = outcome;
    for (const changed of this.#watchers) changed();
  }
}
