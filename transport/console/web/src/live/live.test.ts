import {afterEach, beforeEach, expect, test, vi} from "vitest";
import type {Frame} from "./frame";
import {Live, type Sink} from "./live";

const BOOK = "book:binance:BTCUSDT:20";
const TRADES = "trades:binance:BTCUSDT";

// Service is the other side of the sockets that a page opens.
class Service {
  readonly sockets: Socket[] = [];
  tokens = 0;
  readonly live = new Live({
    open: () => {
      const socket = new Socket();
      this.sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    token: () => {
      this.tokens++;
      return Promise.resolve("vgs_token");
    },
    random: () => 1,
  });

  get socket(): Socket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("no socket was opened");
    return socket;
  }

  async accept(): Promise<void> {
    await settle();
    this.socket.deliver(`{"op":"welcome"}`);
    await settle();
    this.socket.deliver(`{"op":"auth","ok":true}`);
  }
}

class Socket {
  onmessage: ((event: {data: string}) => void) | undefined;
  onclose: (() => void) | undefined;
  closed = false;
  readonly got: {op: string; channels?: string[]; token?: string}[] = [];

  send(text: string): void {
    this.got.push(JSON.parse(text) as {op: string});
  }

  close(): void {
    this.closed = true;
  }

  deliver(text: string): void {
    this.onmessage?.({data: text});
  }

  frame(channel: string, type: Frame["type"], seq: number, data: unknown = {}): void {
    this.deliver(JSON.stringify({channel, type, seq, ts: "2026-11-20T09:19:00.123Z", venueTs: null, data}));
  }
}

// Log is a sink that keeps what it was given as text.
class Log implements Sink {
  readonly lines: string[] = [];

  apply({type, seq, missed}: Frame): void {
    this.lines.push(`${type} ${seq}${missed === undefined ? "" : ` missed ${missed}`}`);
  }

  distrust(why: string): void {
    this.lines.push(why);
  }
}

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("authenticates before it subscribes, once for several uses", async () => {
  const service = new Service();
  const first = service.live.acquire(BOOK, () => new Log());
  expect(service.live.acquire(BOOK, () => new Log())).toBe(first);
  await service.accept();
  expect(service.socket.got).toEqual([{op: "auth", token: "vgs_token"}, {op: "subscribe", channels: [BOOK]}]);
  service.live.release(BOOK);
  await settle();
  expect(service.socket.got).toHaveLength(2);
  service.live.acquire(TRADES, () => new Log());
  service.live.release(BOOK);
  await settle();
  expect(service.socket.got.slice(2)).toEqual([{op: "unsubscribe", channels: [BOOK]}, {op: "subscribe", channels: [TRADES]}]);
});

test("keeps a topic that is released and acquired at once", async () => {
  const service = new Service();
  const log = service.live.acquire(BOOK, () => new Log());
  await service.accept();
  service.live.release(BOOK);
  expect(service.live.acquire(BOOK, () => new Log())).toBe(log);
  await settle();
  expect(service.socket.got).toHaveLength(2);
  expect(service.socket.closed).toBe(false);
});

test("a break in the sequence of a book distrusts it until the snapshot of a new subscription", async () => {
  const service = new Service();
  const log = service.live.acquire(BOOK, () => new Log());
  await service.accept();
  const {socket} = service;
  socket.frame(BOOK, "delta", 3); // before the snapshot
  socket.frame(BOOK, "snapshot", 4);
  socket.frame(BOOK, "delta", 5);
  socket.frame(BOOK, "delta", 7);
  socket.frame(BOOK, "delta", 8);
  expect(log.lines).toEqual(["snapshot 4", "delta 5", "A message of the stream is missing."]);
  await vi.advanceTimersByTimeAsync(250);
  expect(socket.got.slice(2)).toEqual([{op: "unsubscribe", channels: [BOOK]}, {op: "subscribe", channels: [BOOK]}]);
  socket.frame(BOOK, "snapshot", 9);
  socket.frame(BOOK, "delta", 10);
  expect(log.lines.slice(3)).toEqual(["snapshot 9", "delta 10"]);
});

test("a stale book waits for a snapshot, whatever its sequence", async () => {
  const service = new Service();
  const log = service.live.acquire(BOOK, () => new Log());
  await service.accept();
  service.socket.frame(BOOK, "snapshot", 4);
  service.socket.frame(BOOK, "stale", 20);
  service.socket.frame(BOOK, "delta", 21);
  service.socket.frame(BOOK, "snapshot", 30);
  expect(log.lines).toEqual(["snapshot 4", "stale 20", "snapshot 30"]);
});

test("trades begin anywhere, and go on after a gap or a break", async () => {
  const service = new Service();
  const log = service.live.acquire(TRADES, () => new Log());
  await service.accept();
  const {socket} = service;
  socket.frame(TRADES, "update", 9);
  socket.deliver(`{"channel":"${TRADES}","type":"gap","seq":16,"ts":"","venueTs":null,"missed":7}`);
  socket.frame(TRADES, "update", 17);
  socket.frame(TRADES, "update", 19);
  socket.frame(TRADES, "update", 20);
  expect(log.lines).toEqual(["update 9", "gap 16 missed 7", "update 17", "gap 19 missed null", "update 19", "update 20"]);
});

test("connects again after 1 s, 2 s, 4 s, up to 30 s", async () => {
  const service = new Service();
  const log = service.live.acquire(BOOK, () => new Log());
  await service.accept();
  service.socket.frame(BOOK, "snapshot", 4);
  for (const [nth, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
    service.socket.onclose?.();
    expect(service.live.status()).toEqual({phase: "waiting", retryAt: Date.now() + seconds * 1000});
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(service.sockets).toHaveLength(nth + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(service.sockets).toHaveLength(nth + 2);
  }
  await service.accept();
  expect(service.socket.got.at(-1)).toEqual({op: "subscribe", channels: [BOOK]});
  service.socket.frame(BOOK, "delta", 5);
  service.socket.frame(BOOK, "snapshot", 1);
  expect(log.lines.filter((line) => !line.startsWith("The connection"))).toEqual(["snapshot 4", "snapshot 1"]);
  service.socket.onclose?.();
  expect(service.live.status().retryAt).toBe(Date.now() + 1000);
});

test("a connection on which pings are not answered is lost", async () => {
  const service = new Service();
  service.live.acquire(BOOK, () => new Log());
  await service.accept();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(service.socket.got.at(-1)).toEqual({op: "ping"});
  service.socket.deliver(`{"op":"pong"}`);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(service.live.status().phase).toBe("live");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(service.live.status().phase).toBe("waiting");
  expect(service.socket.closed).toBe(true);
});

test("a connection whose token is refused is tried again later", async () => {
  const service = new Service();
  service.live.acquire(BOOK, () => new Log());
  await settle();
  service.socket.deliver(`{"op":"welcome"}`);
  await settle();
  service.socket.deliver(`{"op":"error","code":4001,"message":"the API key is missing, wrong or expired"}`);
  expect(service.live.status().phase).toBe("waiting");
});

test("renews the token every four minutes", async () => {
  const service = new Service();
  service.live.acquire(BOOK, () => new Log());
  await service.accept();
  for (let seconds = 0; seconds < 480; seconds += 20) {
    await vi.advanceTimersByTimeAsync(20_000);
    service.socket.deliver(`{"op":"pong"}`);
  }
  expect(service.tokens).toBe(3);
});

test("a hidden page closes the connection after a minute, and opens it when it is seen", async () => {
  const service = new Service();
  service.live.acquire(BOOK, () => new Log());
  await service.accept();
  service.live.setHidden(true);
  service.live.setHidden(false);
  service.live.setHidden(true);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(service.socket.closed).toBe(false);
  service.socket.deliver(`{"op":"pong"}`);
  await vi.advanceTimersByTimeAsync(20_000);
  service.socket.deliver(`{"op":"pong"}`);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(service.socket.closed).toBe(true);
  expect(service.live.status()).toEqual({phase: "off"});
  await vi.advanceTimersByTimeAsync(600_000);
  expect(service.sockets).toHaveLength(1);
  service.live.setHidden(false);
  await service.accept();
  expect(service.socket.got.at(-1)).toEqual({op: "subscribe", channels: [BOOK]});
});

test("a topic that is refused says why", async () => {
  const service = new Service();
  const log = service.live.acquire("book:binance:NOPE:20", () => new Log());
  await service.accept();
  service.socket.deliver(`{"op":"subscribe","ok":true,"channels":[],"rejected":[{"channel":"book:binance:NOPE:20","code":4004,"message":"no instrument NOPE on binance"}]}`);
  expect(log.lines).toEqual(["no instrument NOPE on binance"]);
});

test("closes the connection with the last topic", async () => {
  const service = new Service();
  service.live.acquire(BOOK, () => new Log());
  await service.accept();
  service.live.release(BOOK);
  await settle();
  expect(service.socket.closed).toBe(true);
  expect(service.live.status()).toEqual({phase: "off"});
});
