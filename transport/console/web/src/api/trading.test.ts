import {beforeEach, expect, test, vi} from "vitest";
import {CallError, call, isOutcomeUnknown, markUnattended} from "./client";
import {forgetToken, keepTokenOf, newRequestId, query, token, trading} from "./trading";

// A service with one valid token; renewals and calls are counted by their path.
let valid: string;
let calls: string[];
let fail: (() => Response) | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  forgetToken();
  valid = "vgs_1";
  calls = [];
  fail = undefined;
  vi.stubGlobal("fetch", async (url: string, {method, headers}: {method: string; headers: Record<string, string>}) => {
    calls.push(`${method} ${url}`);
    await Promise.resolve();
    if (url === "/console/api/session/token") return Response.json({token: valid, validSec: 600});
    if (headers.Authorization !== `Bearer ${valid}`) return Response.json({error: {code: "unauthorized"}}, {status: 401});
    return fail?.() ?? Response.json({items: [], nextCursor: null});
  });
});

const RENEWAL = "POST /console/api/session/token";

test("calls at the same time share one renewal", async () => {
  await Promise.all([trading("GET", "orders"), trading("GET", "fills"), token()]);
  expect(calls.filter((one) => one === RENEWAL)).toHaveLength(1);
});

test("a token is renewed after four minutes", async () => {
  await token();
  vi.advanceTimersByTime(239_999);
  await token();
  expect(calls).toEqual([RENEWAL]);
  vi.advanceTimersByTime(1);
  await token();
  expect(calls).toEqual([RENEWAL, RENEWAL]);
});

test("a token that has ended is renewed once and the call sent again", async () => {
  await token();
  valid = "vgs_2";
  await trading("POST", "orders", {});
  expect(calls).toEqual([RENEWAL, "POST /v1/orders", RENEWAL, "POST /v1/orders"]);
});

test("a call that stays refused fails after two", async () => {
  fail = () => Response.json({error: {code: "unauthorized"}}, {status: 401});
  await expect(trading("DELETE", "orders/a")).rejects.toMatchObject({status: 401});
  expect(calls.filter((one) => one === "DELETE /v1/orders/a")).toHaveLength(2);
});

test("a call without response is not sent again, and its outcome is unknown", async () => {
  fail = () => { throw new TypeError("connection lost"); };
  const failure = await trading("POST", "positions/close", {}).catch((thrown: unknown) => thrown);
  expect(isOutcomeUnknown(failure)).toBe(true);
  expect(calls).toEqual([RENEWAL, "POST /v1/positions/close"]);
});

test("without a token nothing is sent, and that is the outcome", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no connection")));
  const failure = await trading("POST", "orders", {}).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({code: "no_answer"});
  expect(isOutcomeUnknown(failure)).toBe(false);
});

test("what the service refuses is known, what a proxy says is not", () => {
  expect(isOutcomeUnknown(new CallError("exchange_unavailable", "", 502))).toBe(false);
  expect(isOutcomeUnknown(new CallError("http_502", "", 502))).toBe(true);
  expect(isOutcomeUnknown(new CallError("order_rejected", "", 422))).toBe(false);
});

test("a token that arrives after the sign-out is not kept", async () => {
  const late = token();
  forgetToken();
  await expect(late).rejects.toMatchObject({status: 401});
  await token();
  expect(calls).toEqual([RENEWAL, RENEWAL]);
});

test("the token of a user is not used for another", async () => {
  keepTokenOf("ann");
  await token();
  keepTokenOf("ann");
  await token();
  keepTokenOf("bob");
  await token();
  expect(calls).toEqual([RENEWAL, RENEWAL]);
});

test("query and request ids", () => {
  expect(query({status: "open", symbol: "", from: null, to: undefined})).toBe("?status=open");
  expect(query({})).toBe("");
  expect(newRequestId()).toMatch(/^console-[0-9a-f]{32}$/);
});

test("the calls of a page that nobody uses are marked", async () => {
  const marks: (string | null)[] = [];
  vi.stubGlobal("fetch", (_: string, {headers}: RequestInit) => {
    marks.push(new Headers(headers).get("X-Unattended"));
    return Promise.resolve(Response.json({}));
  });
  let unattended = false;
  markUnattended(() => unattended);
  await call("GET", "session");
  unattended = true;
  await call("POST", "session/token");
  unattended = false;
  await call("GET", "session");
  expect(marks).toEqual([null, "1", null]);
});
