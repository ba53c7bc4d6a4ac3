// A market maker: one post-only order at the best bid and one at the best ask, which follow
// the book, and none on a side that would exceed the limit of its position. After SECONDS it
// cancels its orders and closes its position.
import WebSocket from "ws";
import { add, Client, compare, newRequestId, subtract, VenuegateError, type Exchange, type Order } from "venuegate";

const env = process.env;
const exchange = (env.EXCHANGE ?? "binance") as Exchange;
const symbol = env.SYMBOL ?? "BTCUSDT";
const qty = env.QTY ?? "0.01";
const limit = env.LIMIT ?? "0.03";
const endsAt = Date.now() + Number(env.SECONDS ?? "60") * 1000;
/** Two changes every two seconds stay within 120 trading requests a minute. */
const quoteEveryMs = 2000;

const client = new Client({ baseUrl: env.BASE_URL ?? "http://127.0.0.1:8080", apiKey: env.API_KEY });
const stream = client.stream({ WebSocket, onState: (state) => console.error("stream:", state.state) });
const startedAt = (await client.getTime()).serverTime;
const prefix = newRequestId().slice(0, 12);

type Side = Order["side"];
/** The orders of this run by id; the position follows from their fills. */
const orders = new Map<string, Order>();

function record(order: Order): void {
  if (!order.requestId?.startsWith(prefix)) return;
  const known = orders.get(order.orderId);
  if (!known || (order.updatedAt ?? "") >= (known.updatedAt ?? "")) orders.set(order.orderId, order);
}

function filled(side: Side): string {
  return [...orders.values()].filter((order) => order.side === side).reduce((sum, order) => add(sum, order.filledQty), "0");
}

const position = () => subtract(filled("buy"), filled("sell"));
const isOpen = (order: Order) => ["pending", "open", "partially_filled", "unknown"].includes(order.status);
const resting = (side: Side) => [...orders.values()].find((order) => order.side === side && isOpen(order));

/** Reads the orders of this run. Messages that were missed are not repeated by the stream. */
async function reread(): Promise<void> {
  for await (const order of client.allOrders({ status: "all", exchange, symbol, from: startedAt })) record(order);
}

async function follow(): Promise<void> {
  for await (const event of stream.orders()) {
    if (event.type === "update") record(event.data);
    if (event.type === "snapshot") await reread();
  }
}

const place = async (order: { side: Side; type: "market" | "limit"; qty: string; price?: string; postOnly?: boolean; reduceOnly?: boolean }) =>
  record(await client.placeOrder({ exchange, symbol, ...order, requestId: prefix + newRequestId() }));

/** Makes the order of a side rest at a price, or removes it. */
async function quote(side: Side, price: string | undefined): Promise<void> {
  const after = side === "buy" ? add(position(), qty) : subtract(qty, position());
  const wanted = price !== undefined && compare(after, limit) <= 0;
  const order = resting(side);
  try {
    if (!order && wanted) await place({ side, type: "limit", qty, price, postOnly: true });
    else if (order && !wanted) record(await client.cancelOrder(order.orderId));
    else if (order && price !== order.price) record(await client.amendOrder(order.orderId, { price }));
  } catch (error) {
    if (!(error instanceof VenuegateError)) throw error;
    // An order may be filled meanwhile, and an outcome may be unknown: its record decides.
    console.error(`${side}: ${error.code}: ${error.message}`);
    await reread();
  }
}

/** Cancels what is open and closes the position, until both are confirmed. */
async function flatten(): Promise<void> {
  for (;;) {
    await client.cancelOrders({ exchange, symbol });
    await reread();
    if (![...orders.values()].some(isOpen)) {
      const held = position();
      if (held === "0") return;
      const long = compare(held, "0") > 0;
      await place({ side: long ? "sell" : "buy", type: "market", qty: long ? held : subtract("0", held), reduceOnly: true });
    }
  }
}

const { book } = stream.book(exchange, symbol, 5);
const following = follow();
while (Date.now() < endsAt) {
  await Promise.all([quote("buy", book.bestBid?.[0]), quote("sell", book.bestAsk?.[0])]);
  await new Promise((resolve) => setTimeout(resolve, quoteEveryMs));
}
await flatten();
stream.close();
await following;
console.log(JSON.stringify({ orders: orders.size, bought: filled("buy"), sold: filled("sell"), position: position() }));
