import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compare, VenuegateError, type Client, type Exchange } from "venuegate";
import { eventually, Service } from "./service.js";

const exchanges: Exchange[] = ["binance", "bybit", "okx"];
let service: Service;
let client: Client;
before(async () => {
  service = await Service.start();
  client = service.client();
});
after(() => service.stop());

async function failure(promise: Promise<unknown>): Promise<VenuegateError> {
  const error = await promise.then((value) => assert.fail(`${JSON.stringify(value)}, want an error`), (thrown) => thrown);
  assert.ok(error instanceof VenuegateError, `${error}, want a VenuegateError`);
  return error;
}

test("service routes need no key", async () => {
  const anonymous = service.client({ apiKey: undefined });
  assert.match((await anonymous.getTime()).serverTime, /Z$/);
  assert.equal((await anonymous.getHealth()).status, "ok");
  assert.equal((await anonymous.getReadiness()).ready, true);
  assert.match(await anonymous.getOpenAPI(), /^openapi: 3\.1/);
  assert.match(await anonymous.getAsyncAPI(), /^asyncapi: 3/);
});

test("every operation has a method", async () => {
  const document = await client.getOpenAPI();
  const paths = document.slice(document.indexOf("\npaths:"), document.indexOf("\nwebhooks:"));
  const operations = [...paths.matchAll(/operationId: (\w+)/g)].map(([, name]) => name!);
  assert.ok(operations.length >= 27, `${operations.length} operations, want at least 27`);
  assert.deepEqual(operations.filter((name) => !(name in client)), [], "operations without a method");
  assert.match(await client.getDocs(), /<html/);
});

test("venues and their state", async () => {
  const { items } = await client.listVenues();
  assert.deepEqual(items.map((venue) => [venue.exchange, venue.status, venue.connected]), exchanges.map((exchange) => [exchange, "up", true]));
});

for (const exchange of exchanges) {
  const instrument = { exchange, symbol: "BTCUSDT" };

  test(`market data of ${exchange}`, async () => {
    const [ticker] = (await client.listTickers(instrument)).items;
    assert.deepEqual([ticker!.exchange, ticker!.symbol, compare(ticker!.bid!, ticker!.ask!)], [exchange, "BTCUSDT", -1]);
    const { channel, type, data } = await client.getBook({ ...instrument, depth: 5 });
    assert.deepEqual([channel, type, data.bids.length, data.asks.length], [`book:${exchange}:BTCUSDT:5`, "snapshot", 5, 5]);
    assert.equal(compare(data.bids[0]![0], data.asks[0]![0]), -1);
    await service.control(exchange, "POST", "/market/trade", { symbol: "BTCUSDT", side: "buy", qty: "0.031" });
    const trade = await eventually("the trade", async () => {
      const { items } = await client.listTrades({ ...instrument, limit: 50 });
      return items.length <= 50 && items.find((one) => compare(one.qty, "0.031") === 0);
    });
    assert.equal(trade.side, "buy");
  });

  test(`candles of ${exchange}`, async () => {
    const query = { ...instrument, timeframe: "1m" } as const;
    const { items, nextCursor } = await client.listCandles({ ...query, limit: 4 });
    assert.deepEqual([items.length, nextCursor], [4, null]);
    const paged: string[] = [];
    const span = { from: items[0]!.start, to: items[3]!.start };
    for await (const candle of client.allCandles({ ...query, ...span, limit: 2 })) paged.push(candle.start);
    assert.deepEqual(paged, items.slice(0, 3).map((candle) => candle.start));
  });
}

test("an order is checked and not placed", async () => {
  const order = { exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.1", price: "60000", requestId: "checked" } as const;
  const passed = await client.checkOrder(order);
  assert.deepEqual([passed.ok, passed.notional, passed.order!.requestId], [true, "6000", "checked"]);
  const failed = await client.checkOrder({ ...order, price: "60000.01" });
  assert.deepEqual([failed.ok, failed.faults.map((fault) => [fault.field, fault.rule])], [false, [["price", "not_a_multiple_of_tick"]]]);
  assert.equal(await client.findOrder("checked"), null);
});

for (const exchange of exchanges) {
  test(`an order is placed, changed, cancelled and listed on ${exchange}`, async () => {
    const order = await client.placeOrder({ exchange, symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.2", price: "60000", postOnly: true });
    assert.equal(order.status, "open");
    assert.match(order.requestId!, /^ts-[0-9a-f]{32}$/);
    const amended = await client.amendOrder(order.orderId, { price: "60001" });
    assert.equal(amended.price, "60001");
    assert.equal((await client.getOrder(amended.orderId)).price, "60001");
    assert.ok((await client.listOrders({ exchange })).items.some((one) => one.orderId === amended.orderId));
    assert.equal((await client.cancelOrder(amended.orderId)).status, "cancelled");
    assert.equal((await client.findOrder(order.requestId!))!.status, "cancelled");
    assert.equal(await client.findOrder("never-used"), null);
  });

  test(`a position is opened and closed on ${exchange}`, async () => {
    const leverage = await client.changeLeverage({ exchange, symbol: "ETHUSDT", leverage: "7" });
    assert.equal(leverage.leverage, "7");
    const bought = await client.placeOrder({ exchange, symbol: "ETHUSDT", side: "buy", type: "market", qty: "0.5" });
    assert.equal(bought.status, "filled");
    const { items } = await client.listPositions({ exchange });
    assert.deepEqual(items.map((p) => [p.symbol, p.side, p.qty]), [["ETHUSDT", "long", "0.5"]]);
    const closed = await client.closePosition({ exchange, symbol: "ETHUSDT" });
    assert.deepEqual([closed.side, closed.filledQty], ["sell", "0.5"]);
    assert.equal((await client.getAccount({ exchange })).items[0]!.currency, "USDT");
    const fills = await client.listFills({ exchange, symbol: "ETHUSDT" });
    assert.deepEqual(fills.items.map((fill) => fill.side), ["sell", "buy"]);
  });
}

test("all orders of a venue are cancelled", async () => {
  for (const price of ["60000", "60001"]) {
    await client.placeOrder({ exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.1", price });
  }
  const { items } = await client.cancelOrders({ exchange: "okx" });
  assert.deepEqual(items.map((item) => item.result), ["cancelled", "cancelled"]);
});

test("iterators read page after page", async () => {
  const once = (await client.listInstruments({ limit: 1000 })).items.map((i) => i.exchange + i.symbol);
  const paged: string[] = [];
  for await (const instrument of client.allInstruments({ limit: 7 })) paged.push(instrument.exchange + instrument.symbol);
  assert.ok(once.length > 21, `${once.length} instruments, want several pages`);
  assert.deepEqual(paged, once);
  const orders: string[] = [];
  for await (const order of client.allOrders({ status: "all", limit: 2 })) orders.push(order.orderId);
  assert.deepEqual(orders, (await client.listOrders({ status: "all", limit: 500 })).items.map((order) => order.orderId));
  const fills: string[] = [];
  for await (const fill of client.allFills({ limit: 1 })) fills.push(fill.fillId);
  assert.equal(fills.length, 6);
  const types = new Set<string>();
  for await (const event of client.allEvents({ limit: 2 })) types.add(event.type);
  assert.deepEqual(types, new Set(["order.filled", "position.closed"]));
});

test("signals become orders", async () => {
  const { hook, chart } = service.demo;
  const signal = { action: "order", exchange: "binance", symbol: "SOLUSDT", side: "buy", qty: "1", requestId: "signal-1" } as const;
  const first = await client.sendSignal(hook.id, hook.secret, signal);
  assert.deepEqual([first.accepted, first.duplicate, first.status], [true, false, "filled"]);
  const again = await client.sendSignal(hook.id, hook.secret, signal);
  assert.deepEqual([again.duplicate, again.orderId], [true, first.orderId]);
  const id = chart.url.split("/").at(-1)!;
  const close = await client.sendChartSignal(id, { action: "close", exchange: "binance", symbol: "SOLUSDT", channelToken: chart.channelToken });
  assert.equal(close.accepted, true);
  const ordersOf = async (filter: Parameters<Client["listOrders"]>[0]) =>
    (await client.listOrders({ ...filter, status: "all" })).items.map((order) => order.orderId);
  assert.deepEqual(await ordersOf({ channelId: hook.id }), [first.orderId]);
  assert.deepEqual(await ordersOf({ source: "webhook" }), [first.orderId]);
  assert.ok(!(await ordersOf({ source: "api" })).includes(first.orderId!));
  await eventually("the position closed", async () => (await client.listPositions({ exchange: "binance" })).items.length === 0);
});

test("errors have the code, the status, the details and the id of the service", async () => {
  const anonymous = service.client({ apiKey: "vgk_wrong" });
  const reader = service.client({ apiKey: service.demo.readKey });
  const order = { exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.01", price: "60000" } as const;
  await client.placeOrder({ ...order, requestId: "taken" });
  const cases: [code: string, status: number, details: string, request: () => Promise<unknown>][] = [
    ["invalid_request", 400, "fields", () => client.placeOrder({ ...order, qty: "1e5" })],
    ["unauthorized", 401, "", () => anonymous.listOrders()],
    ["bad_signature", 401, "reason", () => client.sendSignal(service.demo.hook.id, "wrong", { action: "notify", comment: "x" })],
    ["scope_required", 403, "required", () => reader.placeOrder(order)],
    ["not_found", 404, "", () => client.getOrder("ord_none")],
    ["duplicate_request", 409, "order", () => client.placeOrder({ ...order, price: "60001", requestId: "taken" })],
    ["insufficient_balance", 422, "venueCode", () => client.placeOrder({ ...order, qty: "90" })],
    ["symbol_not_tradable", 422, "", () => client.placeOrder({ ...order, symbol: "NOPEUSDT" })],
    ["leverage_change_rejected", 422, "reason", () => client.changeLeverage({ exchange: "bybit", symbol: "BTCUSDT", leverage: "5000" })],
    ["order_rejected", 422, "reason", () => client.closePosition({ exchange: "okx", symbol: "BTCUSDT" })],
  ];
  for (const [code, status, detail, request] of cases) {
    const error = await failure(request());
    assert.deepEqual([error.code, error.status], [code, status], `${error}`);
    assert.ok(!detail || error.details[detail] !== undefined, `${code}: details ${JSON.stringify(error.details)}, want ${detail}`);
    assert.match(error.requestId!, /^req_/);
    assert.equal(error.docUrl, `/docs/errors#${code}`);
    assert.ok(error.message.length > 0);
  }
  await client.cancelOrders();
  const late = await failure(client.cancelOrder((await client.findOrder("taken"))!.orderId));
  assert.deepEqual([late.code, late.details.status], ["not_found", "cancelled"]);
});

test("limits and halts of an account reject orders", async () => {
  const { id } = await service.account("bybit");
  const order = { exchange: "bybit", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.1", price: "60000" } as const;
  await service.admin("PATCH", `/accounts/${id}`, { limits: { maxOrderNotional: "100" } });
  const risk = await failure(client.placeOrder(order));
  assert.deepEqual([risk.code, risk.details.rule], ["risk_rejected", "max_order_notional"]);
  await service.admin("PATCH", `/accounts/${id}`, { limits: {}, halted: true });
  const locked = await failure(client.placeOrder(order));
  assert.deepEqual([locked.code, locked.details.limit], ["trading_locked", "halted"]);
  await service.admin("POST", `/accounts/${id}/resume`);
});

test("a venue that does not respond is exchange_unavailable, after retries", async () => {
  const fault = { match: { path: "/api/v5/account/set-leverage" }, do: "drop_connection" };
  const change = { exchange: "okx", symbol: "BTCUSDT", leverage: "9" } as const;
  const error = await service.during("okx", fault, () => failure(client.changeLeverage(change, { retriesMax: 1 })));
  assert.deepEqual([error.code, error.status], ["exchange_unavailable", 502]);
  assert.equal((await service.during("okx", { ...fault, times: 1 }, () => client.changeLeverage(change))).leverage, "9");
});

test("an order that the venue does not confirm is returned as unknown, until it is known", async () => {
  const client = service.client({ apiKey: (await service.createKey()).apiKey }); // reads have a limit per key
  const order = { exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.1", price: "60000" } as const;
  const placed = await service.during("okx", { match: { op: "POST" }, do: "maintenance" }, () => client.placeOrder(order));
  assert.equal(placed.status, "unknown");
  const known = await eventually("the outcome", async () => {
    const now = await client.getOrder(placed.orderId);
    return now.status !== "unknown" && now;
  }, 60_000);
  assert.equal(known.status, "rejected");
});

test("429 is retried after Retry-After, and returned at once if that is too long", async () => {
  // 60 pages of 500 rows are more than the rows of a second.
  const pages = Array.from({ length: 60 }, () => client.listOrders({ status: "closed", limit: 500 }, { totalTimeoutMs: 60_000 }));
  const attempts = Array.from({ length: 60 }, () => client.listOrders({ status: "closed", limit: 500 }, { retriesMax: 0 }).catch((e) => e));
  const limited = (await Promise.all(attempts)).filter((r) => r instanceof VenuegateError);
  assert.ok(limited.length > 0, "0 of 120 pages were limited, want some");
  for (const error of limited) {
    assert.deepEqual([error.code, error.status], ["rate_limited", 429]);
    assert.ok(error.retryAfterSec! >= 1, `Retry-After ${error.retryAfterSec}, want seconds`);
  }
  for (const page of await Promise.all(pages)) assert.ok(page.items.length > 0);

  const { apiKey } = await service.createKey();
  const trader = service.client({ apiKey });
  const cancels = Array.from({ length: 121 }, () => trader.cancelOrders({ exchange: "binance", symbol: "LTCUSDT" }, { retriesMax: 0 }));
  const rejected = (await Promise.allSettled(cancels)).filter((r) => r.status === "rejected");
  assert.equal(rejected.length, 1);
  const began = Date.now();
  const error = await failure(trader.cancelOrders({ exchange: "binance" }, { totalTimeoutMs: 5000 }));
  assert.equal(error.code, "rate_limited");
  assert.ok(error.retryAfterSec! > 5, `Retry-After ${error.retryAfterSec}, want most of a minute`);
  assert.ok(Date.now() - began < 2000, "waited, want an answer at once");
});

test("a revoked key is unauthorized", async () => {
  const { id, apiKey } = await service.createKey(["read"]);
  const revoked = service.client({ apiKey });
  await revoked.listOrders();
  await service.admin("DELETE", `/keys/${id}`);
  assert.equal((await failure(revoked.listOrders())).code, "unauthorized");
});
