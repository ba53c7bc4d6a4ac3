import { backoffMs, sleep } from "./backoff.js";
import type { components } from "./api.gen.js";
import { Connection, type CloseInfo, type WebSocketConstructor } from "./connection.js";
import { VenuegateError } from "./errors.js";
import { StreamCode, type Depth, type Frame, type Rejection, type Timeframe } from "./messages.js";
import {
  BookSubscription, CandleSubscription, RecordSubscription, TradeSubscription, type Subscription, type SubscriptionOptions,
} from "./subscription.js";

type Schemas = components["schemas"];
type Topic = Subscription<any>;

/** The delay before the first new attempt to connect or to subscribe. */
const firstRetryMs = 1000;
/** How long a connection must have lasted for the delays to begin again with the first. */
const stableAfterMs = 10_000;
/** The least time between two repairs of a topic. */
const resyncIntervalMs = 1000;

/** The state of the connection. `waiting`: it was lost, and is made again in `retryInMs`. */
export type StreamState =
  | { state: "connecting" | "open" }
  | { state: "waiting"; close: CloseInfo; retryInMs: number }
  | { state: "closed"; error: VenuegateError | null };

export interface StreamOptions {
  /** Address of the stream, such as `ws://127.0.0.1:8080/v1/stream`. */
  url: string;
  apiKey: string;
  /** Constructor of WebSockets. Required by Node 20, which has none: pass that of the package `ws`. */
  WebSocket?: WebSocketConstructor;
  /** How long connecting may take. Default 10 s. */
  connectTimeoutMs?: number;
  /** How long a reply, also to a ping, may take; the connection is then considered lost. Default 10 s. */
  replyTimeoutMs?: number;
  /** Default: the interval that the service announces, 20 s. It closes a connection after 45 s without a message. */
  pingIntervalMs?: number;
  /** Called with each change of the connection. */
  onState?(state: StreamState): void;
}

/**
 * The stream: market data and the customer's own records over one WebSocket, which is made
 * again whenever it is lost. Subscriptions continue over that.
 */
export class Stream {
  private readonly topics = new Set<Topic>();
  private readonly byChannel = new Map<string, Topic>();
  /** When topics were last subscribed again. */
  private readonly resyncs = new WeakMap<Topic, number>();
  private connection: Connection | null = null;
  private running = false;
  private readonly ending = new AbortController();

  constructor(private readonly options: StreamOptions) {}

  /** Subscribes to the trades of an instrument. */
  trades(exchange: Schemas["Exchange"], symbol: string, options: SubscriptionOptions = {}): TradeSubscription {
    return this.add(new TradeSubscription(`trades:${exchange}:${symbol}`, options));
  }

  /** Subscribes to the best levels of an order book; `book` of the result is its current state. */
  book(exchange: Schemas["Exchange"], symbol: string, depth: Depth = 20, options: SubscriptionOptions = {}): BookSubscription {
    return this.add(new BookSubscription(`book:${exchange}:${symbol}:${depth}`, options));
  }

  /** Subscribes to candles, including the one that is not closed. */
  candles(exchange: Schemas["Exchange"], symbol: string, timeframe: Timeframe, options: SubscriptionOptions = {}): CandleSubscription {
    return this.add(new CandleSubscription(`kline:${exchange}:${symbol}:${timeframe}`, options));
  }

  /** Subscribes to the customer's orders. After `stale`, read the closed ones through REST. */
  orders(options: Pick<SubscriptionOptions, "queueLimit"> = {}): RecordSubscription<Schemas["Order"]> {
    return this.add(new RecordSubscription<Schemas["Order"]>("orders", options));
  }

  /** Subscribes to the customer's positions. A closed one is sent once, with quantity zero. */
  positions(options: Pick<SubscriptionOptions, "queueLimit"> = {}): RecordSubscription<Schemas["Position"]> {
    return this.add(new RecordSubscription<Schemas["Position"]>("positions", options));
  }

  /** Subscribes to the customer's balances. */
  balances(options: Pick<SubscriptionOptions, "queueLimit"> = {}): RecordSubscription<Schemas["Account"]> {
    return this.add(new RecordSubscription<Schemas["Account"]>("account", options));
  }

  /** Closes the connection and ends all subscriptions. */
  close(): void {
    this.finish(null);
  }

  private add<T extends Topic>(topic: T): T {
    if (this.ending.signal.aborted) throw new VenuegateError("connection_failed", "the stream is closed");
    for (const other of this.topics) if (other.topic === topic.topic) throw new TypeError(`already subscribed to ${topic.topic}`);
    this.topics.add(topic);
    topic.onEnd = () => this.remove(topic);
    if (this.connection) this.subscribe([topic]);
    else if (!this.running) void this.run();
    return topic;
  }

  private remove(topic: Topic): void {
    this.topics.delete(topic);
    if (this.byChannel.get(topic.topic) !== topic) return;
    this.byChannel.delete(topic.topic);
    this.unsubscribe(topic.topic);
  }

  private unsubscribe(channel: string): void {
    this.connection?.request({ op: "unsubscribe", channels: [channel] }, () => {}, () => {});
  }

  private finish(error: VenuegateError | null): void {
    if (this.ending.signal.aborted) return;
    this.ending.abort();
    this.byChannel.clear();
    this.connection?.close();
    for (const topic of [...this.topics]) topic.end(error);
    this.options.onState?.({ state: "closed", error });
  }

  private async run(): Promise<void> {
    this.running = true;
    const { signal } = this.ending;
    for (let retry = 0; !signal.aborted; retry++) {
      this.options.onState?.({ state: "connecting" });
      const began = Date.now();
      const close = await this.connect();
      if (signal.aborted) return;
      if (Date.now() - began >= stableAfterMs) retry = 0;
      const retryInMs = backoffMs(firstRetryMs, retry);
      this.options.onState?.({ state: "waiting", close, retryInMs });
      await sleep(retryInMs, signal).catch(() => {});
    }
  }

  /** Makes one connection and returns how it ended. An invalid key ends the stream. */
  private async connect(): Promise<CloseInfo> {
    const { connectTimeoutMs = 10_000, replyTimeoutMs = 10_000, pingIntervalMs = null, WebSocket = globalThis.WebSocket } = this.options;
    if (!WebSocket) {
      this.finish(new VenuegateError("connection_failed", "there is no global WebSocket: pass one as the option WebSocket"));
      return { code: 1000, reason: "" };
    }
    const onData = (frame: Frame) => this.receive(frame);
    const connection = new Connection({ ...this.options, connectTimeoutMs, replyTimeoutMs, pingIntervalMs, WebSocket, onData });
    const stop = () => connection.close();
    let failure: VenuegateError | null = null;
    this.ending.signal.addEventListener("abort", stop);
    try {
      await connection.authenticate();
      this.connection = connection;
      this.options.onState?.({ state: "open" });
      this.subscribe([...this.topics]);
    } catch (error) {
      failure = error as VenuegateError;
      connection.close();
      if (failure.details.code === StreamCode.unauthorized) this.finish(failure);
    }
    const info = await connection.closed;
    this.ending.signal.removeEventListener("abort", stop);
    this.connection = null;
    this.byChannel.clear();
    for (const topic of [...this.topics]) topic.lose();
    return failure ? { code: Number(failure.details.code), reason: failure.message } : info;
  }

  private receive(frame: Frame): void {
    const topic = this.byChannel.get(frame.channel!);
    if (topic && !topic.receive(frame)) this.resync(topic);
  }

  /**
   * Subscribes topics: confirmed ones with one message, others with one each, because a
   * reply lists canonical names without those that were requested.
   */
  private subscribe(topics: Topic[]): void {
    const confirmed = topics.filter((topic) => topic.confirmed);
    if (confirmed.length) this.requestTopics(confirmed);
    for (const topic of topics) if (!topic.confirmed) this.requestTopics([topic]);
  }

  private requestTopics(topics: Topic[], retry = 0): void {
    const channels = topics.map((topic) => topic.topic);
    this.connection?.request({ op: "subscribe", channels }, (reply) => {
      for (const rejection of reply.rejected ?? []) this.rejected(topics, rejection, retry);
      for (const channel of reply.channels ?? []) this.confirm(topics, channel);
    }, (error) => {
      // A lost connection subscribes again; any other error is final.
      if (error.code !== "connection_failed") for (const topic of topics) topic.end(error);
    });
  }

  private confirm(topics: Topic[], channel: string): void {
    const requested = topics.length === 1 ? topics[0]! : topics.find((one) => one.topic === channel);
    if (!requested) return;
    // If it was closed meanwhile, a new subscription to the same topic takes its place.
    const topic = this.topics.has(requested) ? requested
      : [...this.topics].find((other) => other.topic === channel || other.topic === requested.topic);
    if (!topic) return this.unsubscribe(channel);
    if ((this.byChannel.get(channel) ?? topic) !== topic) {
      return topic.end(new VenuegateError("invalid_request", `already subscribed to ${channel}`));
    }
    topic.topic = channel;
    topic.confirmed = true;
    this.byChannel.set(channel, topic);
  }

  private rejected(topics: Topic[], { channel, code, message, reason }: Rejection, retry: number): void {
    const topic = topics.find((one) => one.topic === channel);
    if (!topic) return;
    if (code !== StreamCode.serverRestart) return topic.end(new VenuegateError(reason, message, { details: { channel, code } }));
    const { connection } = this;
    setTimeout(() => {
      if (this.connection === connection && this.topics.has(topic)) this.requestTopics([topic], retry + 1);
    }, backoffMs(firstRetryMs, retry));
  }

  /** Subscribes a topic again after a gap, for a new snapshot. */
  private resync(topic: Topic): void {
    const { connection } = this;
    const waitMs = Math.max(0, (this.resyncs.get(topic) ?? 0) + resyncIntervalMs - Date.now());
    this.resyncs.set(topic, Date.now() + waitMs);
    setTimeout(() => {
      if (this.connection !== connection || !this.topics.has(topic)) return;
      this.unsubscribe(topic.topic);
      this.requestTopics([topic]);
    }, waitMs);
  }
}
