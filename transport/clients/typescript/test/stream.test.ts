import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import {
  compare, VenuegateError, type BookEvent, type Stream, type StreamOptions, type StreamState, type Subscription, type WebSocketLike,
} from "venuegate";
import { eventually, Proxy, Service } from "./service.js";

let service: Service;
before(async () => { service = await Service.start({ quiet: false }); });
after(() => service.stop());

const order = { exchange: "bybit", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.1", price: "50000" } as const;

interface Watched { stream: Stream; states: StreamState[]; proxy: Proxy }

/** Runs work with a stream behind a proxy, and closes both. */
async function withStream(work: (watched: Watched) => Promise<void>, options: Partial<StreamOptions> = {}, apiKey?: string): Promise<void> {
  const proxy = await Proxy.start(service.demo.baseUrl);
  const states: StreamState[] = [];
  const onState = (state: StreamState) => void states.push(state);
  const key = apiKey === "read" ? service.demo.readKey : apiKey ?? service.demo.apiKey;
  const client = service.client({ baseUrl: `http://${proxy.host}`, apiKey: key });
  const stream = client.stream({ WebSocket, onState, ...options });
  try {
    await work({ stream, states, proxy });
  } finally {
    stream.close();
    proxy.stop();
  }
}

/** Returns the first event that accept returns true for. The subscription stays open. */
async function next<E>(subscription: Subscription<E>, what: string, accept: (event: E) => boolean = () => true): Promise<E> {
  const events = subscription[Symbol.asyncIterator]();
  const timeout = AbortSignal.timeout(20_000);
  const expired = new Promise<never>((_, reject) => timeout.addEventListener("abort", () => reject(new Error(`timeout, want ${what}`))));
  for (;;) {
    const { done, value } = await Promise.race([events.next(), expired]);
    if (done) throw new Error(`the subscription ended, want ${what}`);
    if (accept(value)) return value;
  }
}

async function failure(subscription: Subscription<unknown>): Promise<VenuegateError> {
  const error = await next(subscription, "an error", () => false).then(() => undefined, (thrown) => thrown);
  assert.ok(error instanceof VenuegateError, `${error}, want a VenuegateError`);
  return error;
}

const isSnapshot = (event: { type: string }) => event.type === "snapshot";

/** A WebSocket that loses the messages for which `loses` returns true. */
class Lossy implements WebSocketLike {
  static loses: (frame: { channel?: string; type?: string }) => boolean = () => false;
  onmessage: WebSocketLike["onmessage"] = null;
  onclose: WebSocketLike["onclose"] = null;
  onerror: WebSocketLike["onerror"] = null;
  private readonly socket: WebSocket;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.onmessage = (event) => Lossy.loses(JSON.parse(String(event.data))) || this.onmessage?.(event);
    this.socket.onclose = (event) => this.onclose?.(event);
    this.socket.onerror = (event) => this.onerror?.(event);
  }
  send(data: string) { this.socket.send(data); }
  close(code?: number) { this.socket.close(code); }
}

/** Returns a function that returns true once, for the first message of a topic and type after it is armed. */
function loseOne(channel: string, types: string[]): () => Promise<void> {
  let lost = true;
  Lossy.loses = (frame) => {
    if (lost || frame.channel !== channel || !types.includes(frame.type!)) return false;
    return (lost = true);
  };
  return async () => {
    lost = false;
    await eventually(`a message of ${channel}`, () => lost);
  };
}

test("a local book is equal to the snapshots of other connections", () => withStream(async ({ stream }) => {
  const subscription = stream.book("okx", "BTC-USDT-SWAP", 10);
  assert.equal(subscription.book.stale, true);
  const books = new Map<number, string>();
  let read = 0;
  void (async () => {
    for await (const event of subscription) {
      const { book } = subscription;
      read++;
      if (event.type !== "stale") books.set(book.seq, JSON.stringify([book.bids, book.asks]));
    }
  })();
  await eventually("changes of the book", () => read > 20);
  assert.equal(subscription.topic, "book:okx:BTCUSDT:10");
  const { bids, asks, bestBid, bestAsk } = subscription.book;
  assert.equal(bids.length, 10);
  assert.equal(compare(bestBid![0], bestAsk![0]), -1);
  for (const [side, order] of [[bids, 1], [asks, -1]] as const) {
    for (let i = 1; i < side.length; i++) assert.equal(compare(side[i - 1]![0], side[i]![0]), order, "levels are sorted, best first");
  }
  for (let round = 0; round < 3; round++) {
    await withStream(async ({ stream: other }) => {
      const event = await next(other.book("okx", "BTCUSDT", 10), "a snapshot");
      assert.ok(event.type === "snapshot");
      const want = JSON.stringify([event.data.bids, event.data.asks]);
      assert.equal(await eventually(`seq ${event.seq}`, () => books.get(event.seq)), want);
    });
  }
}));

test("a gap at the venue makes the book stale until the next snapshot", () => withStream(async ({ stream }) => {
  const subscription = stream.book("binance", "ETHUSDT", 5);
  await next(subscription, "a snapshot", isSnapshot);
  await service.during("binance", { match: { op: "ethusdt@depth" }, do: "gap", times: 1 }, async () => {
    assert.deepEqual(await next(subscription, "stale", (event) => event.type === "stale"), { type: "stale", reason: "venue" });
    await next(subscription, "a snapshot", isSnapshot);
    assert.equal(subscription.book.stale, false);
  });
}));

test("a lost message makes a book stale, and the topic is subscribed again", () => withStream(async ({ stream, states }) => {
  const lose = loseOne("book:okx:BTCUSDT:20", ["delta"]);
  const subscription = stream.book("okx", "BTCUSDT");
  await next(subscription, "a snapshot", isSnapshot);
  for (let round = 0; round < 2; round++) {
    const events: BookEvent["type"][] = [];
    const reading = next(subscription, "stale", (event) => (events.push(event.type), event.type === "stale"));
    await lose();
    assert.deepEqual(await reading, { type: "stale", reason: "gap" });
    assert.equal(subscription.book.bestBid, undefined);
    assert.ok((await next(subscription, "a snapshot")).type === "snapshot");
    await next(subscription, "a change", (event) => event.type === "delta");
    assert.equal(subscription.book.stale, false);
  }
  assert.deepEqual(states.map((state) => state.state), ["connecting", "open"]);
}, { WebSocket: Lossy }));

test("lost trades are a gap with their number", () => withStream(async ({ stream }) => {
  const lose = loseOne("trades:bybit:BTCUSDT", ["update"]);
  const subscription = stream.trades("bybit", "BTCUSDT");
  const first = await next(subscription, "a trade");
  assert.ok(first.type === "update" && /^\d+(\.\d+)?$/.test(first.data.price), JSON.stringify(first));
  const reading = next(subscription, "a gap", (event) => event.type === "gap");
  await lose();
  assert.deepEqual(await reading, { type: "gap", missed: 1, reason: "gap" });
  assert.equal((await next(subscription, "a trade")).type, "update");
}, { WebSocket: Lossy }));

test("a lost connection is made again with all topics", () => withStream(async ({ stream, states, proxy }) => {
  const book = stream.book("okx", "BTC-USDT-SWAP", 5);
  const trades = stream.trades("okx", "BTCUSDT");
  const orders = stream.orders();
  await next(book, "a snapshot", isSnapshot);
  await next(orders, "a snapshot", isSnapshot);
  await next(trades, "a trade");
  proxy.cut();
  assert.deepEqual(await next(book, "stale", (event) => event.type === "stale"), { type: "stale", reason: "disconnected" });
  assert.equal(book.book.stale, true);
  assert.deepEqual(await next(orders, "stale"), { type: "stale", reason: "disconnected" });
  assert.deepEqual(await next(trades, "a gap", (event) => event.type === "gap"), { type: "gap", missed: null, reason: "disconnected" });
  assert.equal((await next(book, "a snapshot")).type, "snapshot");
  assert.equal((await next(orders, "a snapshot")).type, "snapshot");
  assert.equal((await next(trades, "a trade")).type, "update");
  assert.deepEqual(states.map((state) => state.state), ["connecting", "open", "waiting", "connecting", "open"]);
  const waiting = states[2]!;
  assert.ok(waiting.state === "waiting" && waiting.close.code === 1006 && waiting.retryInMs <= 1000, JSON.stringify(waiting));
}));

test("a connection on which nothing arrives is noticed and made again", () => withStream(async ({ stream, states, proxy }) => {
  const candles = stream.candles("binance", "BTCUSDT", "1m");
  const first = await next(candles, "a candle");
  assert.ok(first.type === "snapshot" && first.data.start < first.data.end, JSON.stringify(first));
  proxy.frozen = true;
  assert.deepEqual(await next(candles, "stale", (event) => event.type === "stale"), { type: "stale", reason: "disconnected" });
  proxy.frozen = false;
  await next(candles, "a candle", isSnapshot);
  const waiting = states.find((state) => state.state === "waiting");
  assert.ok(waiting?.state === "waiting" && waiting.close.reason === "no reply", JSON.stringify(waiting));
}, { pingIntervalMs: 100, replyTimeoutMs: 500 }));

test("private topics show orders, positions and balances", () => withStream(async ({ stream }) => {
  const client = service.client();
  const orders = stream.orders(), positions = stream.positions(), balances = stream.balances();
  await next(orders, "a snapshot", isSnapshot);
  await next(positions, "a snapshot", isSnapshot);
  const funds = await next(balances, "a snapshot", isSnapshot);
  assert.ok(funds.type === "snapshot" && funds.data.length === 3, JSON.stringify(funds));
  const placed = await client.placeOrder({ ...order, type: "market", price: undefined });
  const filled = await next(orders, "the fill", (event) => event.type === "update" && event.data.status === "filled");
  assert.ok(filled.type === "update" && filled.data.orderId === placed.orderId);
  await next(positions, "the position", (event) => event.type === "update" && event.data.qty === "0.1");
  await client.closePosition({ exchange: "bybit", symbol: "BTCUSDT" });
  const closed = await next(positions, "the end", (event) => event.type === "update" && event.data.qty === "0");
  assert.ok(closed.type === "update" && closed.data.reason === "manual");
  await next(balances, "a balance", (event) => event.type === "update" && event.data.exchange === "bybit");
}));

test("topics that are rejected end with the code of REST, others continue", () => withStream(async ({ stream }) => {
  const trades = stream.trades("okx", "BTCUSDT");
  assert.equal((await failure(stream.positions())).code, "scope_required");
  assert.equal((await failure(stream.book("okx", "NOPEUSDT"))).code, "not_found");
  assert.equal((await failure(stream.trades("okx", "BTC-USDT-SWAP"))).code, "invalid_request", "the topic is subscribed under its canonical name");
  assert.throws(() => stream.trades("okx", "BTCUSDT"), /already subscribed/);
  assert.equal((await next(trades, "a trade")).type, "update");
}, {}, "read"));

test("leaving the loop unsubscribes, and the topic can be subscribed again", () => withStream(async ({ stream }) => {
  for (let round = 0; round < 3; round++) {
    for await (const event of stream.book("okx", "ETHUSDT", 5)) {
      assert.equal(event.type, "snapshot");
      break;
    }
  }
  stream.book("okx", "ETHUSDT", 5).close();
  await next(stream.book("okx", "ETHUSDT", 5), "a snapshot");
}));

test("a slow reader gets one snapshot, one gap, or the end of the subscription", () => withStream(async ({ stream }) => {
  const limit = { queueLimit: 5 };
  const book = stream.book("okx", "BTCUSDT", 5, limit);
  const trades = stream.trades("okx", "BTCUSDT", limit);
  const strict = stream.book("binance", "BTCUSDT", 5, { ...limit, overflow: "fail" });
  const orders = stream.orders(limit);
  await next(book, "a snapshot", isSnapshot);
  await next(orders, "a snapshot", isSnapshot);
  const first = await next(trades, "a trade");
  assert.ok(first.type === "update");
  const client = service.client();
  for (let i = 0; i < 4; i++) await client.cancelOrder((await client.placeOrder(order)).orderId);
  await delay(3000);
  // What is queued began with the event that replaced the first ones.
  const view = await next(book, "a snapshot");
  assert.equal(view.type, "snapshot");
  const gap = await next(trades, "a gap");
  assert.ok(gap.type === "gap" && gap.reason === "slow_consumer" && gap.missed! > 5, JSON.stringify(gap));
  const after = await next(trades, "a trade");
  assert.ok(after.type === "update" && after.seq === first.seq + gap.missed! + 1, `${JSON.stringify(after)} after ${JSON.stringify([first, gap])}`);
  for (const subscription of [strict, orders]) {
    const error = await failure(subscription as Subscription<unknown>);
    assert.equal(error.code, "slow_consumer", subscription.topic);
  }
}));

test("a wrong key ends the stream", () => withStream(async ({ stream, states }) => {
  assert.equal((await failure(stream.orders())).code, "unauthorized");
  assert.deepEqual(states.map((state) => state.state), ["connecting", "closed"]);
  assert.throws(() => stream.positions(), VenuegateError);
}, {}, "vgk_wrong"));

test("a revoked key ends the stream", async () => {
  const { id, apiKey } = await service.createKey();
  await withStream(async ({ stream, states }) => {
    const orders = stream.orders();
    await next(orders, "a snapshot");
    await service.admin("DELETE", `/keys/${id}`);
    assert.deepEqual(await next(orders, "stale"), { type: "stale", reason: "disconnected" });
    assert.equal((await failure(orders)).code, "unauthorized");
    const waiting = states.find((state) => state.state === "waiting");
    assert.ok(waiting?.state === "waiting" && waiting.close.code === 4001, JSON.stringify(states));
  }, {}, apiKey);
});

test("the stream continues after a restart and after a kill of the service", () => withStream(async ({ stream, states }) => {
  const orders = stream.orders();
  const book = stream.book("bybit", "BTCUSDT", 1);
  await next(orders, "a snapshot");
  await next(book, "a snapshot");
  const placed = await service.client().placeOrder(order);
  for (const [end, code] of [[() => service.shutDown(), 4012], [() => service.kill(), 1006]] as const) {
    states.length = 0;
    await end();
    await next(orders, "stale", (event) => event.type === "stale");
    await service.serve();
    const snapshot = await next(orders, "a snapshot", isSnapshot);
    assert.ok(snapshot.type === "snapshot");
    assert.deepEqual(snapshot.data.map((one) => one.orderId), [placed.orderId]);
    await next(book, "a snapshot", isSnapshot);
    const waiting = states[0]!;
    assert.ok(waiting.state === "waiting" && waiting.close.code === code, JSON.stringify(states));
  }
  await service.client().cancelOrder(placed.orderId);
}));

test("the absence of a WebSocket is reported", { skip: globalThis.WebSocket !== undefined }, async () => {
  const error = await failure(service.client().stream().orders());
  assert.match(error.message, /pass one as the option WebSocket/);
});
