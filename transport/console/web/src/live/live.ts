import {Cursor} from "./cursor";
import {isReply, parse, type Frame, type Reply} from "./frame";

/** A Sink holds the data of one topic. */
export interface Sink {
  /** apply takes the next frame. */
  apply(frame: Frame): void;
  /** distrust marks what is held as not current until the next snapshot. */
  distrust(why: string): void;
}

/** Ports are what the connection needs of its surroundings. */
export interface Ports {
  open(): WebSocket;
  /** token returns the token of the session, which it keeps valid. */
  token(): Promise<string>;
  /** random returns a number from 0 to 1. */
  random(): number;
}

/** Status of the connection. It is off while nothing is subscribed or nobody sees the page. */
export interface Status {
  readonly phase: "off" | "connecting" | "live" | "waiting";
  /** While waiting: when the next attempt is made, as of Date.now. */
  readonly retryAt?: number;
}

const FIRST_RETRY_MILLISECONDS = 1_000;
const LONGEST_RETRY_MILLISECONDS = 30_000;
const PING_MILLISECONDS = 20_000;
/** A connection on which nothing has arrived for this long, in spite of pings, is dead. */
const SILENCE_MILLISECONDS = 30_000;
const TOKEN_MILLISECONDS = 4 * 60_000;
const HIDDEN_MILLISECONDS = 60_000;
const RENEW_MILLISECONDS = 250;

interface Topic {
  readonly sink: Sink;
  readonly cursor: Cursor;
  references: number;
  /** Whether it is subscribed on this connection. */
  sent: boolean;
}

/** Live is the one connection of the page to the stream. Topics that several parts of the page use are subscribed once. */
export class Live {
  #status: Status = {phase: "off"};
  #socket: WebSocket | undefined;
  #heardAt = 0;
  #failures = 0;
  #hidden = false;
  #settling = false;
  #timers: ReturnType<typeof setInterval>[] = [];
  #hiding: ReturnType<typeof setTimeout> | undefined;
  readonly #topics = new Map<string, Topic>();
  readonly #watchers = new Set<() => void>();

  constructor(private readonly ports: Ports) {}

  readonly status = (): Status => this.#status;

  /** watch calls changed whenever the status changes, until the function that it returns is called. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** acquire subscribes to a topic and returns its sink, made by make if nothing uses the topic yet. */
  acquire<S extends Sink>(name: string, make: () => S): S {
    let topic = this.#topics.get(name);
    if (!topic) {
      topic = {sink: make(), cursor: new Cursor(!name.startsWith("trades:")), references: 0, sent: false};
      this.#topics.set(name, topic);
    }
    topic.references++;
    this.#settleSoon();
    return topic.sink as S;
  }

  /** find returns the sink of a topic that is in use. */
  find(name: string): Sink | undefined {
    return this.#topics.get(name)?.sink;
  }

  /** release ends one use of a topic. With the last one it is unsubscribed. */
  release(name: string): void {
    const topic = this.#topics.get(name);
    if (topic) topic.references--;
    this.#settleSoon();
  }

  /** setHidden closes the connection of a page that has been hidden for a minute, and opens it when it is seen again. */
  setHidden(hidden: boolean): void {
    clearTimeout(this.#hiding);
    const apply = () => {
      this.#hidden = hidden;
      this.#settleSoon();
    };
    if (hidden) this.#hiding = setTimeout(apply, HIDDEN_MILLISECONDS);
    else apply();
  }

  // A page that is replaced by the next one releases what that acquires: wait for both.
  #settleSoon(): void {
    if (this.#settling) return;
    this.#settling = true;
    queueMicrotask(() => {
      this.#settling = false;
      this.#settle();
    });
  }

  #settle(): void {
    const ended = [...this.#topics].filter(([, topic]) => topic.references === 0);
    for (const [name] of ended) this.#topics.delete(name);
    if (this.#topics.size === 0 || this.#hidden) this.#end("Nobody has seen the page.", {phase: "off"});
    else if (this.#status.phase === "off") this.#connect();
    else if (this.#status.phase === "live") {
      this.#send("unsubscribe", ended.filter(([, topic]) => topic.sent).map(([name]) => name));
      this.#subscribe();
    }
  }

  #subscribe(): void {
    const names: string[] = [];
    for (const [name, topic] of this.#topics) {
      if (!topic.sent) names.push(name);
      topic.sent = true;
    }
    this.#send("subscribe", names);
  }

  #send(op: "subscribe" | "unsubscribe", channels: string[]): void {
    if (channels.length > 0) this.#socket?.send(JSON.stringify({op, channels}));
  }

  #connect(): void {
    const socket = this.ports.open();
    this.#socket = socket;
    this.#heardAt = Date.now();
    this.#become({phase: "connecting"});
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#receive(socket, parse(event.data));
    };
    socket.onclose = () => this.#lost(socket);
    this.#timers = [
      setInterval(() => {
        if (this.#status.phase === "live") socket.send(JSON.stringify({op: "ping"}));
      }, PING_MILLISECONDS),
      setInterval(() => {
        if (Date.now() - this.#heardAt > SILENCE_MILLISECONDS) this.#lost(socket);
      }, FIRST_RETRY_MILLISECONDS),
      // The service closes connections whose token has ended; reading it renews it.
      setInterval(() => void this.ports.token().catch(() => undefined), TOKEN_MILLISECONDS),
    ];
  }

  #receive(socket: WebSocket, message: Frame | Reply | undefined): void {
    this.#heardAt = Date.now();
    if (!message) this.#lost(socket);
    else if (isReply(message)) this.#reply(socket, message);
    else this.#frame(message);
  }

  #reply(socket: WebSocket, {op, ok, rejected}: Reply): void {
    if (op === "welcome") void this.#authenticate(socket);
    if (op === "auth" && ok) {
      this.#failures = 0;
      this.#become({phase: "live"});
      this.#subscribe();
    }
    for (const {channel, message} of op === "subscribe" ? rejected ?? [] : []) this.#topics.get(channel)?.sink.distrust(message);
    if (op === "error") this.#lost(socket);
  }

  async #authenticate(socket: WebSocket): Promise<void> {
    try {
      const token = await this.ports.token();
      if (socket === this.#socket) socket.send(JSON.stringify({op: "auth", token}));
    } catch {
      this.#lost(socket);
    }
  }

  #frame(frame: Frame): void {
    const topic = this.#topics.get(frame.channel);
    if (!topic) return; // it was unsubscribed a moment ago
    const order = topic.cursor.take(frame);
    if (order === "next") topic.sink.apply(frame);
    if (order === "broken" && topic.cursor.hasSnapshots) this.#renew(frame.channel, topic);
    if (order === "broken" && !topic.cursor.hasSnapshots) {
      topic.sink.apply({...frame, type: "gap", missed: null});
      this.#frame(frame);
    }
  }

  // renew subscribes to a topic again, which gives a snapshot.
  #renew(name: string, topic: Topic): void {
    topic.sink.distrust("A message of the stream is missing.");
    const socket = this.#socket;
    setTimeout(() => {
      if (socket !== this.#socket || this.#topics.get(name) !== topic) return;
      this.#send("unsubscribe", [name]);
      this.#send("subscribe", [name]);
    }, RENEW_MILLISECONDS);
  }

  #lost(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    const longest = Math.min(FIRST_RETRY_MILLISECONDS * 2 ** this.#failures++, LONGEST_RETRY_MILLISECONDS);
    const delay = longest * (0.5 + this.ports.random() / 2);
    this.#end("The connection to the service is lost.", {phase: "waiting", retryAt: Date.now() + delay});
    this.#timers = [setTimeout(() => this.#connect(), delay)];
  }

  #end(why: string, status: Status): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    for (const topic of this.#topics.values()) {
      topic.sent = false;
      topic.cursor.reset();
      if (socket) topic.sink.distrust(why);
    }
    this.#become(status);
  }

  #become(status: Status): void {
    this.#status = status;
    for (const changed of this.#watchers) changed();
  }
}
