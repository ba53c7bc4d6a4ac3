import { OrderBook, type BookLevels } from "./book.js";
import { VenuegateError } from "./errors.js";
import type { BookEvent, CandleEvent, Frame, GapEvent, Message, RecordEvent, StaleEvent, TradeEvent } from "./messages.js";
import { EventQueue } from "./queue.js";

/** What happens when the queue of a subscription is full because the program reads too slowly. */
export type OverflowPolicy =
  /** What is queued is replaced by its result: one snapshot, or one gap of trades. */
  | "conflate"
  /** The subscription ends with `slow_consumer`. */
  | "fail";

export interface SubscriptionOptions {
  /** How many events may be queued. Default 1000. */
  queueLimit?: number;
  /** Default `conflate`. Orders, positions and balances always fail, because none of their events may be lost. */
  overflow?: OverflowPolicy;
}

/** The events of one topic. Read them with `for await`; leaving the loop unsubscribes. */
export abstract class Subscription<Event> implements AsyncIterable<Event> {
  /** The topic, by its canonical name as soon as the service has confirmed it. */
  topic: string;
  /** Whether the service has confirmed the topic, so that `topic` is its canonical name. */
  confirmed = false;
  /** Called once when the subscription ends. */
  onEnd: (() => void) | null = null;
  protected seq: number | null = null;
  private readonly queue: EventQueue<Event>;

  constructor(topic: string, options: SubscriptionOptions) {
    this.topic = topic;
    this.queue = new EventQueue(options.queueLimit ?? 1000, (queued) =>
      options.overflow === "fail" ? new VenuegateError("slow_consumer", `${this.topic}: ${queued.length} events are not read`)
        : this.conflate(queued));
  }

  /** Ends the subscription. */
  close(): void {
    this.end(null);
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return {
      next: () => this.queue.next(),
      return: () => (this.close(), Promise.resolve({ done: true, value: undefined })),
    };
  }

  /** Ends the subscription, with an error that its reader gets after the events that are queued. */
  end(error: Error | null): void {
    this.queue.end(error);
    this.onEnd?.();
    this.onEnd = null;
  }

  /** Handles a message. Returns false if the topic has to be subscribed again. */
  abstract receive(frame: Frame): boolean;

  /** Handles the loss of the connection. */
  abstract lose(): void;

  protected abstract conflate(queued: Event[]): Event[];

  protected emit(event: Event): void {
    if (this.queue.push(event)) {
      this.onEnd?.();
      this.onEnd = null;
    }
  }
}

/** A topic that begins with a snapshot: everything but trades. */
abstract class SnapshotTopic<Event> extends Subscription<Event | StaleEvent> {
  receive(frame: Frame): boolean {
    if (frame.type === "snapshot") {
      this.seq = frame.seq!;
      this.update(frame);
    } else if (frame.type === "stale") {
      this.stale("venue");
    } else if (this.seq !== null && frame.seq === this.seq + 1) {
      this.seq++;
      this.update(frame);
    } else if (this.seq !== null) {
      this.stale("gap");
      return false;
    }
    return true;
  }

  lose(): void {
    this.stale("disconnected");
  }

  /** Without a sequence number, updates are ignored until the next snapshot. */
  protected stale(reason: StaleEvent["reason"]): void {
    if (this.seq === null) return;
    this.seq = null;
    this.emit({ type: "stale", reason });
  }

  protected update(frame: Frame): void {
    this.emit(eventOf(frame) as Event);
  }
}

/** An order book. `book` is its current state, which is newer than queued events. */
export class BookSubscription extends SnapshotTopic<BookEvent> {
  readonly book = new OrderBook();

  protected override stale(reason: StaleEvent["reason"]): void {
    this.book.stale = true;
    super.stale(reason);
  }

  protected override update(frame: Frame): void {
    const event = eventOf(frame) as Message<"snapshot" | "delta", BookLevels>;
    const { book } = this;
    if (event.type === "snapshot") book.set(event.data);
    else book.apply(event.data);
    book.seq = event.seq;
    book.ts = event.ts;
    book.venueTs = event.venueTs;
    this.emit(event);
  }

  protected conflate(queued: BookEvent[]): BookEvent[] {
    const { stale, seq, ts, venueTs, bids, asks } = this.book;
    if (stale) return queued.slice(-1);
    return [{ type: "snapshot", seq, ts, venueTs, data: { bids: [...bids], asks: [...asks] } }];
  }
}

/** The candles of a timeframe, of which only the newest is guaranteed. */
export class CandleSubscription extends SnapshotTopic<CandleEvent> {
  protected conflate(queued: CandleEvent[]): CandleEvent[] {
    return queued.slice(-1).map((event) => (event.type === "stale" ? event : { ...event, type: "snapshot" }));
  }
}

/** Orders, positions or balances of the customer. */
export class RecordSubscription<R> extends SnapshotTopic<RecordEvent<R>> {
  constructor(topic: string, options: SubscriptionOptions) {
    super(topic, { ...options, overflow: "fail" });
  }

  protected conflate(queued: RecordEvent<R>[]): RecordEvent<R>[] {
    return queued;
  }
}

/** The trades of an instrument. They have no snapshot; losses are reported as gaps. */
export class TradeSubscription extends Subscription<TradeEvent> {
  receive(frame: Frame): boolean {
    const seq = frame.seq!;
    if (frame.type === "gap") this.gap("venue", frame.missed ?? null);
    else {
      if (this.seq !== null && seq !== this.seq + 1) this.gap("gap", seq > this.seq ? seq - this.seq - 1 : null);
      this.emit(eventOf(frame) as TradeEvent);
    }
    this.seq = seq;
    return true;
  }

  lose(): void {
    if (this.seq !== null) this.gap("disconnected", null);
    this.seq = null;
  }

  protected conflate(queued: TradeEvent[]): TradeEvent[] {
    let missed: number | null = 0;
    for (const event of queued) {
      const more: number | null = event.type === "gap" ? event.missed : 1;
      missed = missed === null || more === null ? null : missed + more;
    }
    return [{ type: "gap", missed, reason: "slow_consumer" }];
  }

  private gap(reason: GapEvent["reason"], missed: number | null): void {
    this.emit({ type: "gap", missed, reason });
  }
}

function eventOf(frame: Frame): unknown {
  const { channel: _, ...event } = frame;
  return event;
}
