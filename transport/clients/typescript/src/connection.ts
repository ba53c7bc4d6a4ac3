import { VenuegateError } from "./errors.js";
import { StreamCode, type Frame } from "./messages.js";

/** The part of a browser's WebSocket that is used; the class of the package `ws` has it too. */
export interface WebSocketLike {
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}
export type WebSocketConstructor = new (url: string) => WebSocketLike;

export interface ConnectionOptions {
  url: string;
  apiKey: string;
  WebSocket: WebSocketConstructor;
  connectTimeoutMs: number;
  replyTimeoutMs: number;
  pingIntervalMs: number | null;
  /** Called with each message of a topic. */
  onData(frame: Frame): void;
}

/** How a connection ended: a close code of the service, of RFC 6455, or 1006 if it was lost. */
export interface CloseInfo {
  code: StreamCode | (number & {});
  reason: string;
}

interface Pending {
  reply(frame: Frame): void;
  fail(error: VenuegateError): void;
  timer: ReturnType<typeof setTimeout>;
}

/** One authenticated WebSocket, until it is closed. */
export class Connection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<CloseInfo>;
  private readonly socket: WebSocketLike;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private ended = false;
  private finish!: (info: CloseInfo) => void;
  private welcomed!: (frame: Frame) => void;
  private readonly welcome: Promise<Frame>;
  private pings: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: ConnectionOptions) {
    this.closed = new Promise((resolve) => { this.finish = resolve; });
    this.welcome = new Promise((resolve) => { this.welcomed = resolve; });
    this.socket = new options.WebSocket(options.url);
    this.socket.onmessage = (event) => this.receive(event.data);
    this.socket.onclose = (event) => this.end({ code: event.code, reason: event.reason });
    this.socket.onerror = () => {}; // a close event follows
  }

  /** Waits for the welcome and authenticates. Throws `unauthorized` if the key is not valid. */
  async authenticate(): Promise<void> {
    const timer = setTimeout(() => this.drop("no welcome"), this.options.connectTimeoutMs);
    const first = await Promise.race([this.welcome, this.closed]).finally(() => clearTimeout(timer));
    if (!("op" in first)) throw closedError(first as CloseInfo);
    await new Promise<Frame>((resolve, reject) => this.request({ op: "auth", token: this.options.apiKey }, resolve, reject));
    const everyMs = this.options.pingIntervalMs ?? first.pingSec! * 1000;
    this.pings = setInterval(() => this.request({ op: "ping" }, () => {}, () => {}), everyMs);
  }

  /** Sends a message. `reply` is called before any message that was received after it is handled. */
  request(message: object, reply: (frame: Frame) => void, fail: (error: VenuegateError) => void): void {
    if (this.ended) return fail(closedError({ code: 1006, reason: "closed" }));
    const id = ++this.lastId;
    const timer = setTimeout(() => this.drop("no reply"), this.options.replyTimeoutMs);
    this.pending.set(id, { reply, fail, timer });
    this.socket.send(JSON.stringify({ ...message, id }));
  }

  /** Closes the connection. */
  close(): void {
    if (this.ended) return;
    this.end({ code: 1000, reason: "closed by the client" });
    this.socket.close(1000);
  }

  /** Ends a connection on which nothing is received any more. */
  private drop(reason: string): void {
    this.end({ code: 1006, reason });
    this.socket.close();
  }

  private receive(data: unknown): void {
    if (this.ended) return;
    let frame: Frame;
    try {
      frame = JSON.parse(String(data));
    } catch {
      return this.drop("a frame is not JSON");
    }
    if (frame.channel !== undefined) return this.options.onData(frame);
    if (frame.op === "welcome") return this.welcomed(frame);
    const pending = this.pending.get(frame.id ?? 0);
    if (!pending) return;
    this.pending.delete(frame.id!);
    clearTimeout(pending.timer);
    if (frame.op === "error") pending.fail(errorOf(frame));
    else pending.reply(frame);
  }

  private end(info: CloseInfo): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.pings);
    for (const { fail, timer } of this.pending.values()) {
      clearTimeout(timer);
      fail(closedError(info));
    }
    this.pending.clear();
    this.finish(info);
  }
}

function closedError({ code, reason }: CloseInfo): VenuegateError {
  return new VenuegateError("connection_failed", `the stream was closed: ${code} ${reason}`.trimEnd(), { details: { code, reason } });
}

/** Names of the errors of the stream that have no code of REST. */
const names: Record<number, string> = {
  [StreamCode.badMessage]: "invalid_request", [StreamCode.unauthorized]: "unauthorized",
  [StreamCode.serverRestart]: "maintenance", [StreamCode.limit]: "rate_limited",
};

function errorOf({ code = 0, message = "", details = {} }: Frame): VenuegateError {
  return new VenuegateError(details.reason ?? names[code] ?? "connection_failed", message, {
    details: { ...details, code } as VenuegateError["details"], retryAfterSec: details.retryAfterSec ?? null,
  });
}
