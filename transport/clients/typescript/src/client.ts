import type { components, operations } from "./api.gen.js";
import type { BookLevels } from "./book.js";
import { VenuegateError } from "./errors.js";
import type { Event } from "./events.js";
import { Http, type HttpOptions, type RequestOptions } from "./http.js";
import type { Candle, Message } from "./messages.js";
import { signHook } from "./signing.js";
import { Stream, type StreamOptions } from "./stream.js";

type Schemas = components["schemas"];
export type Exchange = Schemas["Exchange"];
export type Instrument = Schemas["Instrument"];
export type Venue = Schemas["Venue"];
export type Ticker = Schemas["Ticker"];
export type Account = Schemas["Account"];
export type Position = Schemas["Position"];
export type Order = Schemas["Order"];
export type OrderRequest = Schemas["OrderRequest"];
export type OrderCheck = Schemas["OrderCheck"];
export type Fill = Schemas["Fill"];
export type Signal = Schemas["Signal"];
export type ChartSignal = Schemas["ChartSignal"];
export type SignalAnswer = Schemas["SignalAnswer"];
export type Readiness = Schemas["Readiness"];

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;
type Answer<Operation extends keyof operations> =
  operations[Operation]["responses"] extends { 200: { content: { "application/json": infer Body } } } ? Body : never;
type Body<Operation extends keyof operations> =
  operations[Operation] extends { requestBody?: { content: { "application/json": infer Given } } } ? Given : never;

/** A filter of a list; its pages are read one after the other. */
type Filter<Operation extends keyof operations> = Omit<Query<Operation>, "cursor">;
/** A book as the stream would send it: `seq` is that of the topic. */
export type BookSnapshot = Message<"snapshot", BookLevels> & { channel: string };
export interface Page<Item> { items: Item[]; nextCursor: string | null }

export interface ClientOptions extends HttpOptions {
  /** Prefix of the headers of signals, if the service is configured with another than `X-Service`. */
  headerPrefix?: string;
}

/**
 * The REST interface. Methods return what the service responds with, and throw a
 * `VenuegateError`. Decimals are strings.
 */
export class Client {
  private readonly http: Http;

  constructor(private readonly options: ClientOptions) {
    this.http = new Http(options);
  }

  /** Returns the stream of the same service, with the same key. It connects with the first subscription. */
  stream(options: Partial<StreamOptions> = {}): Stream {
    const url = this.options.baseUrl.replace(/^http/, "ws").replace(/\/+$/, "") + "/v1/stream";
    return new Stream({ url, apiKey: this.options.apiKey ?? "", ...options });
  }

  // Market

  /** Returns one page of the instruments with their trading rules, sorted by exchange and symbol. */
  listInstruments(query: Query<"listInstruments"> = {}, limits?: RequestOptions): Promise<Answer<"listInstruments">> {
    return this.get("/v1/instruments", query, limits);
  }

  /** Iterates over all instruments. */
  allInstruments(filter: Filter<"listInstruments"> = {}, limits?: RequestOptions): AsyncGenerator<Instrument> {
    return pages((cursor) => this.listInstruments({ ...filter, cursor }, limits));
  }

  /** Returns the venues and their state. */
  listVenues(limits?: RequestOptions): Promise<Answer<"listVenues">> {
    return this.get("/v1/venues", {}, limits);
  }

  /** Returns the newest prices and the figures of 24 hours. Venues that did not respond are in `errors`. */
  listTickers(query: Query<"listTickers"> = {}, limits?: RequestOptions): Promise<Answer<"listTickers">> {
    return this.get("/v1/tickers", query, limits);
  }

  /** Returns the best levels of an order book. To follow a book, use `stream().book`. */
  getBook(query: Query<"getBook">, limits?: RequestOptions): Promise<BookSnapshot> {
    return this.get("/v1/book", query, limits);
  }

  /** Returns the newest public trades, newest first. */
  listTrades(query: Query<"listTrades">, limits?: RequestOptions): Promise<Answer<"listTrades">> {
    return this.get("/v1/trades", query, limits);
  }

  /** Returns one page of candles, oldest first; without `from` the newest before `to`, and no next page. */
  listCandles(query: Query<"listCandles">, limits?: RequestOptions): Promise<Page<Candle>> {
    return this.get("/v1/candles", query, limits);
  }

  /** Iterates over the candles from a time on, oldest first. */
  allCandles(filter: Filter<"listCandles"> & { from: string }, limits?: RequestOptions): AsyncGenerator<Candle> {
    return pages((cursor) => this.listCandles({ ...filter, cursor }, limits));
  }

  // Account

  /** Returns the balances. Venues that did not respond are in `errors`. */
  getAccount(query: Query<"getAccount"> = {}, limits?: RequestOptions): Promise<Answer<"getAccount">> {
    return this.get("/v1/account", query, limits);
  }

  /** Returns the open positions. Venues that did not respond are in `errors`. */
  listPositions(query: Query<"listPositions"> = {}, limits?: RequestOptions): Promise<Answer<"listPositions">> {
    return this.get("/v1/positions", query, limits);
  }

  /** Changes the leverage of an instrument. */
  changeLeverage(change: Body<"changeLeverage">, limits?: RequestOptions): Promise<Answer<"changeLeverage">> {
    return this.change("POST", "/v1/positions/leverage", change, limits);
  }

  /** Closes a position, or `qty` of it, with a reduce-only market order. See `placeOrder`. */
  closePosition(position: Body<"closePosition">, limits?: RequestOptions): Promise<Order> {
    return this.order("/v1/positions/close", position, limits);
  }

  // Orders

  /**
   * Places an order and returns it. The request has a requestId, yours or a new one, which
   * retries repeat, so that it never places a second order; a repeat returns the order that
   * the first attempt placed. A status of `pending` or `unknown` means that the venue has not
   * confirmed the order yet: follow it by its orderId. Throws `outcome_unknown` if no attempt
   * was answered: `findOrder(error.details.requestId)` then shows what became of it.
   */
  placeOrder(order: OrderRequest, limits?: RequestOptions): Promise<Order> {
    return this.order("/v1/orders", order, limits);
  }

  /** Returns the results of the checks that `placeOrder` makes, and places nothing. */
  checkOrder(order: OrderRequest, limits?: RequestOptions): Promise<OrderCheck> {
    return this.http.send({ method: "POST", path: "/v1/orders/check", body: JSON.stringify(order) }, limits) as Promise<OrderCheck>;
  }

  /** Returns one order. */
  getOrder(orderId: string, limits?: RequestOptions): Promise<Order> {
    return this.get(`/v1/orders/${encodeURIComponent(orderId)}`, {}, limits);
  }

  /**
   * Returns the newest order with a requestId, or null if the service has recorded none. Null
   * is not final while a request may still be on its way.
   */
  async findOrder(requestId: string, limits?: RequestOptions): Promise<Order | null> {
    const page = await this.listOrders({ requestId, status: "all", limit: 1 }, limits);
    return page.items[0] ?? null;
  }

  /** Returns one page of orders, newest first; by default of open ones. */
  listOrders(query: Query<"listOrders"> = {}, limits?: RequestOptions): Promise<Answer<"listOrders">> {
    return this.get("/v1/orders", query, limits);
  }

  /** Iterates over orders, newest first; by default over open ones. */
  allOrders(filter: Filter<"listOrders"> = {}, limits?: RequestOptions): AsyncGenerator<Order> {
    return pages((cursor) => this.listOrders({ ...filter, cursor }, limits));
  }

  /**
   * Changes an order. Use the orderId of the result from then on: it is another one where the
   * venue cannot amend. Not repeated while its outcome is unknown.
   */
  amendOrder(orderId: string, change: Body<"amendOrder">, limits?: RequestOptions): Promise<Order> {
    return this.change("PATCH", `/v1/orders/${encodeURIComponent(orderId)}`, change, limits, { once: true });
  }

  /** Cancels an order. Throws `not_found` with `details.status` if it is no longer open. */
  cancelOrder(orderId: string, limits?: RequestOptions): Promise<Order> {
    return this.change("DELETE", `/v1/orders/${encodeURIComponent(orderId)}`, undefined, limits);
  }

  /** Cancels all orders that match; without a filter all. Returns the result of each. */
  cancelOrders(filter: Query<"cancelOrders"> = {}, limits?: RequestOptions): Promise<Answer<"cancelOrders">> {
    return this.change("DELETE", "/v1/orders", undefined, limits, { query: filter });
  }

  /** Returns one page of fills, newest first, of a period of at most 31 days. */
  listFills(query: Query<"listFills"> = {}, limits?: RequestOptions): Promise<Answer<"listFills">> {
    return this.get("/v1/fills", query, limits);
  }

  /** Iterates over fills, newest first, of a period of at most 31 days. */
  allFills(filter: Filter<"listFills"> = {}, limits?: RequestOptions): AsyncGenerator<Fill> {
    return pages((cursor) => this.listFills({ ...filter, cursor }, limits));
  }

  // Events and signals

  /** Returns one page of events, oldest first. */
  listEvents(query: Query<"listEvents"> = {}, limits?: RequestOptions): Promise<Page<Event>> {
    return this.get("/v1/events", query, limits);
  }

  /** Iterates over the events after a given one, or of the last 30 days, oldest first. */
  allEvents(filter: Filter<"listEvents"> = {}, limits?: RequestOptions): AsyncGenerator<Event> {
    return pages((cursor) => this.listEvents({ ...filter, cursor }, limits));
  }

  /** Sends a signal to a channel, signed with the secret of the channel. Retried like an order. */
  sendSignal(hookId: string, secret: string, signal: Signal, limits?: RequestOptions): Promise<SignalAnswer> {
    return this.signal(`/v1/hooks/in/${encodeURIComponent(hookId)}`, signal, limits, (body) =>
      signHook(secret, body, { headerPrefix: this.options.headerPrefix }));
  }

  /** Sends a signal in the form of charting platforms. `id` is the secret part of the channel's address. */
  sendChartSignal(id: string, signal: ChartSignal, limits?: RequestOptions): Promise<SignalAnswer> {
    return this.signal(`/v1/hooks/chart/${encodeURIComponent(id)}`, signal, limits, () => ({}));
  }

  // Service

  /** Returns the service's clock. */
  getTime(limits?: RequestOptions): Promise<Answer<"getTime">> {
    return this.get("/v1/time", {}, limits);
  }

  /** Reports that the process is running. */
  getHealth(limits?: RequestOptions): Promise<Answer<"getHealth">> {
    return this.get("/healthz", {}, limits);
  }

  /** Reports whether trading is possible; if not, `ready` is false. */
  getReadiness(limits?: RequestOptions): Promise<Readiness> {
    return this.get("/readyz", {}, limits);
  }

  /** Returns the OpenAPI document of the service. */
  getOpenAPI(limits?: RequestOptions): Promise<string> {
    return this.get("/openapi.yaml", {}, limits);
  }

  /** Returns the AsyncAPI document of the stream. */
  getAsyncAPI(limits?: RequestOptions): Promise<string> {
    return this.get("/asyncapi.yaml", {}, limits);
  }

  /** Returns the reference as a page for people. */
  getDocs(limits?: RequestOptions): Promise<string> {
    return this.get("/docs", {}, limits);
  }

  private get<T>(path: string, query: object, limits?: RequestOptions): Promise<T> {
    return this.http.send({ method: "GET", path, query }, limits) as Promise<T>;
  }

  private change<T>(
    method: string, path: string, body: object | undefined, limits?: RequestOptions, more: { once?: boolean; query?: object } = {},
  ): Promise<T> {
    return this.http.send({ method, path, body: body && JSON.stringify(body), changes: true, ...more }, limits) as Promise<T>;
  }

  private async order(path: string, request: { requestId?: string }, limits?: RequestOptions): Promise<Order> {
    const requestId = request.requestId ?? newRequestId();
    const body = JSON.stringify({ ...request, requestId });
    try {
      return (await this.http.send({ method: "POST", path, body, changes: true, requestId }, limits)) as Order;
    } catch (error) {
      const repeated = error instanceof VenuegateError && error.code === "duplicate_request" && error.details.sameBody === true;
      if (repeated && error.details.order) return error.details.order;
      throw error;
    }
  }

  private signal(
    path: string, signal: { requestId?: string }, limits: RequestOptions | undefined,
    headersOf: (body: string) => Record<string, string> | Promise<Record<string, string>>,
  ): Promise<SignalAnswer> {
    const requestId = signal.requestId ?? newRequestId();
    const body = JSON.stringify({ ...signal, requestId });
    const call = { method: "POST", path, body, changes: true, requestId, headers: () => headersOf(body) };
    return this.http.send(call, limits) as Promise<SignalAnswer>;
  }
}

/** Returns a new idempotency key. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return "ts-" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function* pages<Item>(read: (cursor?: string) => Promise<Page<Item>>): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
