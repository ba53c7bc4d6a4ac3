// Makes ten calls to a service with the types that openapi-typescript generates of its
// document.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.gen.d.ts";

const client = createClient<paths>({
  baseUrl: process.env.BASE_URL!,
  headers: { Authorization: `Bearer ${process.env.API_KEY}` },
});

const order: components["schemas"]["OrderRequest"] = {
  exchange: "bybit", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.2", price: "1000",
  postOnly: true, requestId: "generated-typescript",
};
const placed = await client.POST("/v1/orders", { body: order });
assert.equal(placed.data?.status, "open");
const repeated = await client.POST("/v1/orders", { body: order });
assert.equal(repeated.error?.error.code, "duplicate_request");
assert.equal(repeated.error?.error.details.order?.orderId, placed.data!.orderId);
const amended = await client.PATCH("/v1/orders/{id}", {
  params: { path: { id: placed.data!.orderId } }, body: { price: "1001" },
});
assert.equal(amended.data?.price, "1001");
const path = { id: amended.data!.orderId };
const cancelled = await client.DELETE("/v1/orders/{id}", { params: { path } });
assert.equal(cancelled.data?.status, "cancelled");
const read = await client.GET("/v1/orders/{id}", { params: { path } });
assert.equal(read.data?.orderId, path.id);
const orders = await client.GET("/v1/orders", { params: { query: { status: "all" } } });
assert.ok(orders.data?.items.some((o) => o.orderId === path.id));
const positions = await client.GET("/v1/positions");
assert.deepEqual(positions.data?.items, []);
const account = await client.GET("/v1/account");
assert.equal(account.data?.items.length, 3);
const wrong = await client.POST("/v1/orders", {
  body: { exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "1" },
});
assert.equal(wrong.error?.error.code, "invalid_request");
assert.equal(wrong.error?.error.details.fields?.[0]?.field, "price");
const missing = await client.GET("/v1/orders/{id}", { params: { path: { id: "ord_none" } } });
assert.equal(missing.error?.error.code, "not_found");
