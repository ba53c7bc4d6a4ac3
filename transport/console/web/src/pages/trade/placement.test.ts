import {afterEach, beforeEach, expect, test, vi} from "vitest";
import {CallError} from "../../api/client";
import type {Order, OrderRequest} from "../../api/types";
import {Placement, type Ports} from "./placement";

const request = {exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01", requestId: "r-1"} as OrderRequest & {requestId: string};
const order = {orderId: "ord_1", requestId: "r-1"} as Order;
const noAnswer = () => new CallError("outcome_unknown", "No answer.", 0);

// placement places an order with a service that answers as given; a lookup takes the next of its answers.
function placement(answer: Order | Error, ...found: (readonly Order[] | Error)[]) {
  const calls: string[] = [];
  const ports: Ports = {
    place: () => {
      calls.push("place");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    find: (requestId) => {
      calls.push(`find ${requestId}`);
      const next = (found.length > 1 ? found.shift() : found[0]) ?? [];
      return next instanceof Error ? Promise.reject(next) : Promise.resolve({items: next});
    },
  };
  return {placed: new Placement(request, ports), calls};
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an answer is the outcome", async () => {
  const {placed, calls} = placement(order);
  expect([placed.outcome().state, placed.isOpen]).toEqual(["sending", true]);
  await vi.advanceTimersByTimeAsync(100_000);
  expect([placed.outcome(), placed.isOpen, calls]).toEqual([{state: "placed", order}, false, ["place"]]);
});

test("a refusal is the outcome", async () => {
  const failure = new CallError("insufficient_balance", "", 422);
  const {placed, calls} = placement(failure);
  await vi.advanceTimersByTimeAsync(100_000);
  expect([placed.outcome(), calls]).toEqual([{state: "refused", failure}, ["place"]]);
});

test("a request that was handled before has its order", async () => {
  const {placed} = placement(new CallError("duplicate_request", "", 409, undefined, undefined, [], undefined, order));
  await vi.advanceTimersByTimeAsync(0);
  expect(placed.outcome()).toEqual({state: "placed", order});
});

test("without an answer it is looked up, and never sent again", async () => {
  const {placed, calls} = placement(noAnswer(), [], noAnswer(), [order]);
  await vi.advanceTimersByTimeAsync(0);
  expect([placed.outcome().state, placed.isOpen]).toEqual(["unknown", true]);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(placed.outcome().state).toBe("unknown");
  await vi.advanceTimersByTimeAsync(1);
  expect([placed.outcome(), calls]).toEqual([{state: "placed", order}, ["place", "find r-1", "find r-1", "find r-1"]]);
});

test.each([["http_502", 502], ["internal_error", 500]])("%s leaves the outcome unknown", async (code, status) => {
  const {placed} = placement(new CallError(code, "", status), noAnswer());
  await vi.advanceTimersByTimeAsync(600_000);
  expect(placed.outcome().state).toBe("unknown");
});

test("an order that the service does not have after 40 s was not placed", async () => {
  const {placed, calls} = placement(noAnswer(), []);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(placed.outcome().state).toBe("unknown");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(placed.outcome()).toEqual({state: "absent"});
  const looked = calls.length;
  await vi.advanceTimersByTimeAsync(100_000);
  expect(calls).toHaveLength(looked);
});
