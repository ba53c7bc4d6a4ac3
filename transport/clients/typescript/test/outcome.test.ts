import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { VenuegateError, type ClientOptions, type Exchange, type Order, type OrderRequest, type RequestOptions } from "venuegate";
import { eventually, Proxy, Service } from "./service.js";

let service: Service;
before(async () => { service = await Service.start(); });
after(() => service.stop());

const exchanges: Exchange[] = ["binance", "bybit", "okx"];
let lastPrice = 60_000;

/** Returns an order at a price that no other order has. */
function order(exchange: Exchange = "binance"): OrderRequest & { price: string } {
  return { exchange, symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.1", price: String(++lastPrice) };
}

/** Asserts how many orders at a price a venue has received. */
async function assertSent(exchange: Exchange, price: string, want: number): Promise<void> {
  const rows = (await service.ledger(exchange)).filter((row) => Number((row as { price?: string }).price) === Number(price));
  assert.equal(rows.length, want, `orders at ${price} in the ledger of ${exchange}: ${JSON.stringify(rows)}`);
}

/** Runs work with a client behind a proxy. */
async function behindProxy<T>(work: (proxy: Proxy, client: ReturnType<Service["client"]>) => Promise<T>, options: Partial<ClientOptions> = {}): Promise<T> {
  const proxy = await Proxy.start(service.demo.baseUrl);
  try {
    return await work(proxy, service.client({ baseUrl: `http://${proxy.host}`, ...options }));
  } finally {
    proxy.stop();
  }
}

async function failure(promise: Promise<unknown>): Promise<VenuegateError> {
  const error = await promise.then((value) => assert.fail(`${JSON.stringify(value)}, want an error`), (thrown) => thrown);
  assert.ok(error instanceof VenuegateError, `${error}, want a VenuegateError`);
  return error;
}

const cuts: [what: string, script: Proxy["script"], limits: RequestOptions][] = [
  ["the connection is cut before the request", ["cut request"], {}],
  ["the connection is cut instead of the response", ["cut response"], {}],
  ["the response does not come in time", ["stall"], { attemptTimeoutMs: 500 }],
  ["several attempts fail", ["cut response", "cut request", "cut response"], {}],
];
for (const [what, script, limits] of cuts) {
  test(`an order is placed once where ${what}`, () => behindProxy(async (proxy, client) => {
    proxy.script.push(...script);
    const request = order();
    const placed = await client.placeOrder(request, limits);
    assert.deepEqual([placed.status, placed.price], ["open", request.price]);
    assert.equal(proxy.connections, script.length + 1);
    await assertSent("binance", request.price, 1);
  }));
}

test("a close is carried out once where the response is lost", () => behindProxy(async (proxy, client) => {
  await client.placeOrder({ exchange: "okx", symbol: "ETHUSDT", side: "buy", type: "market", qty: "0.6" });
  proxy.cut();
  proxy.script.push("cut response");
  const closed = await client.closePosition({ exchange: "okx", symbol: "ETHUSDT", qty: "0.2" });
  assert.deepEqual([closed.side, closed.filledQty], ["sell", "0.2"]);
  assert.equal((await client.listPositions({ exchange: "okx" })).items[0]!.qty, "0.4");
  await client.closePosition({ exchange: "okx", symbol: "ETHUSDT" });
}));

test("an order is unknown, not failed, where no attempt is answered", () => behindProxy(async (proxy, client) => {
  proxy.script.push("cut response", "cut response", "cut response");
  const request = order();
  const error = await failure(client.placeOrder(request, { retriesMax: 2 }));
  assert.deepEqual([error.code, error.status], ["outcome_unknown", null]);
  assert.equal((error.cause as VenuegateError).code, "connection_failed");
  const found = await service.client().findOrder(error.details.requestId as string);
  assert.equal(found?.price, request.price);
  await assertSent("binance", request.price, 1);
}));

test("a later rejection that says nothing about the first attempt leaves it unknown", async () => {
  const { id, apiKey } = await service.createKey();
  let attempts = 0;
  const client = service.client({ apiKey, fetch: async (url, init) => {
    const response = await fetch(url, init);
    if (++attempts > 1) return response;
    await service.admin("DELETE", `/keys/${id}`);
    throw new TypeError("cut");
  } });
  const request = order();
  const error = await failure(client.placeOrder(request));
  assert.deepEqual([error.code, (error.cause as VenuegateError).status, attempts], ["outcome_unknown", 401, 2]);
  await assertSent("binance", request.price, 1);
});

test("a rejection after a lost response is the outcome where it is about the order", () => behindProxy(async (proxy, client) => {
  proxy.script.push("cut response");
  const error = await failure(client.placeOrder({ ...order(), qty: "90" }));
  assert.equal(error.code, "insufficient_balance");
}));

test("a page of a proxy is no answer of the service", async () => {
  let attempts = 0;
  const page = () => new Response("<html>Bad Gateway</html>", { status: 502, headers: { "Content-Type": "text/html" } });
  const client = service.client({ fetch: async (url, init) => (attempts++ ? fetch(url, init) : (await fetch(url, init), page())) });
  const request = order();
  assert.equal((await client.placeOrder(request)).price, request.price);
  await assertSent("binance", request.price, 1);
  const error = await failure(service.client({ fetch: async () => page() }).placeOrder(request, { retriesMax: 0 }));
  assert.deepEqual([error.code, (error.cause as VenuegateError).code], ["outcome_unknown", "bad_response"]);
});

test("an amend is not repeated while its outcome is unknown, a cancel is", () => behindProxy(async (proxy, client) => {
  const placed = await service.client().placeOrder(order());
  proxy.script.push("cut response");
  const price = String(++lastPrice);
  const error = await failure(client.amendOrder(placed.orderId, { price }));
  assert.deepEqual([error.code, proxy.connections], ["outcome_unknown", 1]);
  const amended = (await service.client().findOrder(placed.requestId!))!;
  assert.equal(amended.price, price);
  proxy.script.push("cut response");
  const late = await failure(client.cancelOrder(amended.orderId));
  assert.deepEqual([late.code, late.details.status], ["not_found", "cancelled"]);
}));

test("a signal is carried out once where the response is lost", () => behindProxy(async (proxy, client) => {
  const { id, secret } = service.demo.hook;
  proxy.script.push("cut response");
  const signal = { action: "order", exchange: "bybit", symbol: "SOLUSDT", side: "buy", qty: "3" } as const;
  const answer = await client.sendSignal(id, secret, signal);
  assert.equal(answer.duplicate, true);
  await eventually("the position", async () => (await client.listPositions({ exchange: "bybit" })).items[0]?.qty === "3");
  await client.closePosition({ exchange: "bybit", symbol: "SOLUSDT" });
}));

test("an aborted order is unknown if it was sent, and aborted if it was not", () => behindProxy(async (proxy, client) => {
  proxy.script.push("stall", "stall");
  const abort = new AbortController();
  const request = order();
  const placing = failure(client.placeOrder(request, { signal: abort.signal }));
  await eventually("the order at the venue", async () => (await service.client().listOrders()).items.some((o) => o.price === request.price));
  abort.abort();
  const error = await placing;
  assert.deepEqual([error.code, (error.cause as VenuegateError).code], ["outcome_unknown", "aborted"]);
  assert.equal((await failure(client.placeOrder(order(), { signal: abort.signal }))).code, "aborted");
  const read = new AbortController();
  const reading = failure(client.listOrders({}, { signal: read.signal }));
  setTimeout(() => read.abort(), 50);
  assert.equal((await reading).code, "aborted");
  await assertSent("binance", request.price, 1);
  await assertSent("binance", String(lastPrice), 0);
}));

test("a read that is not answered in time is a timeout", () => behindProxy(async (proxy, client) => {
  proxy.script.push("stall", "stall");
  const error = await failure(client.listOrders({}, { attemptTimeoutMs: 200, totalTimeoutMs: 300 }));
  assert.equal(error.code, "timeout");
}));

const paths: Record<Exchange, string> = { binance: "/fapi/v1/order", bybit: "/v5/order/create", okx: "/api/v5/trade/order" };

test("orders are placed once where the service is killed between sending and answering", () => behindProxy(async (proxy, client) => {
  const requests = exchanges.map((exchange) => order(exchange));
  for (const exchange of exchanges) {
    await service.control(exchange, "POST", "/faults", { match: { path: paths[exchange], op: "POST" }, do: "timeout_after", times: 1 });
  }
  proxy.script.push("stall", "stall", "stall");
  let answers = 0;
  const placing = Promise.all(requests.map((request) => client.placeOrder(request, { totalTimeoutMs: 60_000 }).finally(() => { answers++; })));
  await eventually("the orders at the venues", async () => {
    const ledgers = await Promise.all(exchanges.map((exchange) => service.ledger(exchange)));
    return ledgers.every((rows, i) => rows.some((row) => Number((row as { price?: string }).price) === Number(requests[i]!.price)));
  });
  await service.kill();
  assert.equal(answers, 0, "answers before the service was killed");
  await service.serve();
  const placed = await placing;
  for (const [i, { orderId }] of placed.entries()) {
    const { exchange, price } = requests[i]!;
    const known = await eventually(`the outcome on ${exchange}`, async (): Promise<Order | false> => {
      const now = await client.getOrder(orderId);
      return now.status === "open" && now;
    }, 60_000);
    assert.equal(known.price, price);
    await assertSent(exchange, price, 1);
  }
}));

test("a service that is down, then starting, is retried", async () => {
  await service.kill();
  const client = service.client();
  const down = await failure(client.placeOrder(order(), { retriesMax: 1 }));
  assert.equal(down.code, "connection_failed", "nothing was sent, so that the outcome is known");
  for (const exchange of exchanges) await service.control(exchange, "POST", "/faults", { match: { op: "GET" }, do: "delay", args: { delayMs: 1000 } });
  service.launch();
  const request = order();
  const starting = await eventually("the service starting", async () => {
    const error = await failure(client.placeOrder(request, { retriesMax: 0 }));
    return error.code !== "connection_failed" && error;
  });
  assert.deepEqual([starting.code, starting.status], ["maintenance", 503]);
  assert.ok(starting.retryAfterSec! >= 1, `Retry-After ${starting.retryAfterSec}, want seconds`);
  const placing = client.placeOrder(request, { totalTimeoutMs: 60_000 });
  await delay(500);
  for (const exchange of exchanges) await service.control(exchange, "DELETE", "/faults");
  assert.equal((await placing).price, request.price);
  await assertSent("binance", request.price, 1);
});
