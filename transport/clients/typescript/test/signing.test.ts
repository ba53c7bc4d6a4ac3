import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { SignatureError, signHook, verifyEvent } from "venuegate/signing";
import { eventually, Service } from "./service.js";

let service: Service;
before(async () => { service = await Service.start(); });
after(() => service.stop());

/** Returns the first event that the service delivers to a new endpoint. */
async function receiveEvent(): Promise<{ secret: string; headers: IncomingHttpHeaders; body: Buffer }> {
  const received: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { items } = await service.admin("GET", "/customers");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { secret } = await service.admin("POST", "/endpoints", { customer: items[0].id, name: "test", url, types: ["order.filled"] });
  await service.client().placeOrder({ exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01", comment: "größer" });
  const event = await eventually("an event", () => received[0]);
  server.close();
  return { secret, ...event };
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(() => undefined, (thrown) => thrown);
  assert.ok(error instanceof SignatureError, `${error}, want a SignatureError`);
  return error.reason;
}

test("an event of the service is verified, any other is rejected with the reason", async () => {
  const { secret, headers, body } = await receiveEvent();
  const event = await verifyEvent(secret, headers, body);
  assert.ok(event.type === "order.filled" && event.data.comment === "größer", JSON.stringify(event));
  assert.equal((await verifyEvent(["older", secret], new Headers(headers as Record<string, string>), body.toString())).id, event.id);

  const changed = body.toString().replace("buy", "sell");
  const signature = headers["x-service-signature"] as string;
  const cases: [want: string, secret: string, headers: IncomingHttpHeaders, body: string | Buffer, nowMs?: number][] = [
    ["signature_mismatch", secret, headers, changed],
    ["signature_mismatch", "wrong", headers, body],
    ["signature_mismatch", secret, { ...headers, "x-service-timestamp": "1" }, body],
    ["missing_signature", secret, { ...headers, "x-service-signature": undefined }, body],
    ["missing_signature", secret, { ...headers, "x-service-timestamp": "" }, body],
    ["malformed_signature", secret, { ...headers, "x-service-signature": signature.slice(7) }, body],
    ["malformed_signature", secret, { ...headers, "x-service-timestamp": "-5" }, body],
    ["stale_timestamp", secret, headers, body, Date.now() + 400_000],
    ["stale_timestamp", secret, headers, body, Date.now() - 400_000],
  ];
  for (const [want, key, given, text, nowMs] of cases) {
    assert.equal(await reasonOf(verifyEvent(key, given, text, { nowMs })), want, JSON.stringify(given));
  }
});

test("the service accepts a signed body, and rejects one that is too old", async () => {
  const { hook } = service.demo;
  const body = JSON.stringify({ action: "notify", comment: "größer" });
  for (const [nowMs, want] of [[Date.now(), 202], [Date.now() - 400_000, 401]] as const) {
    const headers = await signHook(hook.secret, body, { nowMs });
    const response = await fetch(hook.url, { method: "POST", body, headers: { ...headers, "Content-Type": "application/json" } });
    assert.equal(response.status, want, await response.text());
  }
});
