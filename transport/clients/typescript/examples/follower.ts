// A signal follower: long while the newest trade is above the average of the trades before it,
// short while it is below. It trades at market, keeps its own book of fills, and after SECONDS
// closes its position.
import WebSocket from "ws";
import { add, Client, compare, newRequestId, subtract, VenuegateError, type Exchange, type Order } from "venuegate";

const env = process.env;
const exchange = (env.EXCHANGE ?? "bybit") as Exchange;
const symbol = env.SYMBOL ?? "ETHUSDT";
const qty = env.QTY ?? "0.1";
const endsAt = Date.now() + Number(env.SECONDS ?? "60") * 1000;
const windowTrades = 20;
/** A position is kept at least this long, which also limits the requests. */
const holdMs = 2000;
const pollMs = 250;

const client = new Client({ baseUrl: env.BASE_URL ?? "http://127.0.0.1:8080", apiKey: env.API_KEY });
const stream = client.stream({ WebSocket, onState: (state) => console.error("stream:", state.state) });

const orders: Order[] = [];
const filled = (side: Order["side"]) => orders.filter((order) => order.side === side).reduce((sum, order) => add(sum, order.filledQty), "0");
const position = () => subtract(filled("buy"), filled("sell"));

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, pollMs));

/** Sends an order and waits until its outcome is known, however long that takes. */
async function trade(side: Order["side"], amount: string, reduceOnly = false): Promise<void> {
  const requestId = newRequestId();
  let order: Order | undefined;
  for (let unknown = false; !order; await pause()) {
    try {
      order = await client.placeOrder({ exchange, symbol, side, type: "market", qty: amount, reduceOnly, requestId });
    } catch (error) {
      if (!(error instanceof VenuegateError)) throw error;
      console.error(`${side} ${amount}: ${error.code}: ${error.message}`);
      unknown ||= error.code === "outcome_unknown";
      // The same requestId never places a second order. Of a repeat only these statuses decide.
      if (!unknown || [400, 422, 502].includes(error.status ?? 0)) return pause();
    }
  }
  while (!["filled", "cancelled", "rejected", "expired"].includes(order.status)) {
    await pause();
    order = await client.getOrder(order.orderId);
  }
  orders.push(order);
}

/** Trades from the present position to another one. */
async function reach(target: string): Promise<void> {
  const difference = subtract(target, position());
  if (difference === "0") return;
  if (compare(difference, "0") > 0) await trade("buy", difference, target === "0");
  else await trade("sell", subtract("0", difference), target === "0");
}

/** Returns whether the newest price is above (1) or below (-1) the average of all, exactly. */
function signal(prices: string[]): number {
  let sum = "0", newest = "0";
  for (const price of prices) {
    sum = add(sum, price);
    newest = add(newest, prices.at(-1)!);
  }
  return compare(newest, sum);
}

let prices: string[] = [];
let tradedAt = 0;
for await (const event of stream.trades(exchange, symbol)) {
  if (Date.now() >= endsAt) break;
  // After a gap the average would mix two times.
  if (event.type === "gap") prices = [];
  else prices = [...prices, event.data.price].slice(-windowTrades);
  if (prices.length < windowTrades || Date.now() - tradedAt < holdMs) continue;
  const direction = signal(prices);
  if (direction === 0) continue;
  await reach(direction > 0 ? qty : subtract("0", qty));
  tradedAt = Date.now();
}
while (position() !== "0") await reach("0");
stream.close();
console.log(JSON.stringify({ orders: orders.length, bought: filled("buy"), sold: filled("sell"), position: position() }));
