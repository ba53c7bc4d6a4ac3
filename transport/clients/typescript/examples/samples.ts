// Every operation once. The service's /docs shows each region as the sample of an operation.
//
//     node build/examples/samples.js ../../../data/demo.json
import { readFileSync } from "node:fs";
import WebSocket from "ws"; // Node 20 has no global WebSocket; browsers and Node 22 do.
import { Client } from "venuegate";

const demo = JSON.parse(readFileSync(process.argv[2] ?? "../../../data/demo.json", "utf8"));
const { baseUrl, apiKey, hook, chart } = demo;

// region client
const client = new Client({ baseUrl, apiKey }); // import { Client } from "venuegate"
// endregion

// region listInstruments
for await (const instrument of client.allInstruments({ exchange: "binance", symbol: "BTCUSDT" })) {
  console.log(instrument.symbol, instrument.tickSize, instrument.qtyStep, instrument.minQty);
}
// endregion

// region listVenues
for (const venue of (await client.listVenues()).items) console.log(venue.exchange, venue.status);
// endregion

// region listTickers
const tickers = await client.listTickers({ exchange: "okx" });
for (const ticker of tickers.items) console.log(ticker.symbol, ticker.last);
// endregion

// region getBook
const snapshot = await client.getBook({ exchange: "binance", symbol: "BTCUSDT", depth: 5 });
console.log(snapshot.data.bids[0], snapshot.data.asks[0]);
// endregion

// region listTrades
const trades = await client.listTrades({ exchange: "binance", symbol: "BTCUSDT", limit: 10 });
for (const trade of trades.items) console.log(trade.ts, trade.side, trade.price, trade.qty);
// endregion

// region listCandles
const candles = await client.listCandles({ exchange: "bybit", symbol: "ETHUSDT", timeframe: "1h" });
for (const candle of candles.items) console.log(candle.start, candle.open, candle.high, candle.low, candle.close);
// endregion

// region getAccount
const accounts = await client.getAccount({ exchange: "binance" });
for (const account of accounts.items) console.log(account.currency, account.equity, account.available);
// endregion

// region changeLeverage
const changed = await client.changeLeverage({ exchange: "binance", symbol: "BTCUSDT", leverage: "5" });
console.log(changed.leverage);
// endregion

// region checkOrder
const check = await client.checkOrder({ exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01" });
console.log(check.ok, check.notional, check.faults, check.rules);
// endregion

// region placeOrder
// The requestId is sent with each retry, so that the order is placed once.
const order = await client.placeOrder({
  exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01", requestId: "my-first-order",
});
console.log(order.orderId, order.status, order.filledQty, order.avgPrice);
// endregion

// region findOrder
const found = await client.findOrder("my-first-order");
console.log(found?.status ?? "not placed");
// endregion

// region listPositions
const positions = await client.listPositions();
for (const p of positions.items) console.log(p.exchange, p.symbol, p.side, p.qty, p.unrealizedPnl);
// endregion

// region closePosition
const closing = await client.closePosition({ exchange: "binance", symbol: "BTCUSDT" });
console.log(closing.side, closing.filledQty);
// endregion

const { orderId } = await client.placeOrder({ exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.01", price: "60000" });

// region getOrder
const current = await client.getOrder(orderId);
console.log(current.status, current.filledQty);
// endregion

// region listOrders
for await (const each of client.allOrders({ exchange: "binance", status: "open" })) {
  console.log(each.orderId, each.symbol, each.price);
}
// endregion

// region amendOrder
const amended = await client.amendOrder(orderId, { price: "60100" });
console.log(amended.orderId); // It may be another one.
// endregion

// region cancelOrder
const cancelled = await client.cancelOrder(amended.orderId);
console.log(cancelled.status);
// endregion

// region cancelOrders
const results = await client.cancelOrders({ exchange: "binance", symbol: "BTCUSDT" });
for (const result of results.items) console.log(result.orderId, result.result);
// endregion

// region listFills
for await (const fill of client.allFills({ exchange: "binance" })) {
  console.log(fill.executedAt, fill.side, fill.price, fill.qty, fill.fee);
}
// endregion

// region listEvents
for await (const event of client.allEvents()) {
  console.log(event.id, event.type, event.data);
}
// endregion

// region sendSignal
const answer = await client.sendSignal(hook.id, hook.secret, {
  action: "order", exchange: "bybit", symbol: "ETHUSDT", side: "buy", qty: "0.1", requestId: "signal-1",
});
console.log(answer.status, answer.orderId);
// endregion

// region sendChartSignal
const secretPart = chart.url.split("/").at(-1);
const closed = await client.sendChartSignal(secretPart, {
  action: "close", exchange: "bybit", symbol: "ETHUSDT.P", channelToken: chart.channelToken,
});
console.log(closed.status, closed.orderId);
// endregion

// region stream
// It reconnects and subscribes again by itself.
const stream = client.stream({ WebSocket });
const book = stream.book("binance", "BTCUSDT", 10);
for await (const event of book) {
  console.log(event.type, book.book.bestBid, book.book.bestAsk); // undefined while the book is stale
  break;
}
stream.close();
// endregion
