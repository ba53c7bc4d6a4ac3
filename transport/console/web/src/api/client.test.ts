import {afterEach, expect, test, vi} from "vitest";
import {call, forgetAnswers, tagOf} from "./client";

const answers: Response[] = [];
const sent: Headers[] = [];
vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
  sent.push(new Headers(init.headers));
  const next = answers.shift();
  return next ? Promise.resolve(next) : Promise.reject(new Error("none"));
});
const fresh = (body: object, tag: string) => new Response(JSON.stringify(body), {headers: {ETag: tag}});
const unchanged = (tag: string) => new Response(null, {status: 304, headers: {ETag: tag}});

afterEach(() => {
  forgetAnswers();
  sent.length = 0;
});

test("what has not changed is not sent again", async () => {
  answers.push(fresh({n: 1}, '"a"'), unchanged('"a"'), fresh({n: 2}, '"b"'), unchanged('"b"'));
  const read = () => call<{n: number}>("GET", "keys");
  expect([await read(), await read(), await read(), await read()]).toEqual([{n: 1}, {n: 1}, {n: 2}, {n: 2}]);
  expect(sent.map((headers) => headers.get("If-None-Match"))).toEqual([null, '"a"', '"a"', '"b"']);
});

test("each address has its own answer, and none after the session", async () => {
  answers.push(fresh({n: 1}, '"a"'), fresh({n: 2}, '"b"'), fresh({n: 3}, '"a"'));
  await call("GET", "keys");
  await call("GET", "users");
  forgetAnswers();
  expect(await call("GET", "keys")).toEqual({n: 3});
  expect(sent.map((headers) => headers.get("If-None-Match"))).toEqual([null, null, null]);
});

test("few answers are kept", async () => {
  for (let n = 0; n <= 50; n++) {
    answers.push(fresh({n}, `"${n}"`));
    await call("GET", `list?n=${n}`);
  }
  answers.push(fresh({}, '"x"'), unchanged('"50"'));
  await call("GET", "list?n=0");
  await call("GET", "list?n=50");
  expect(sent.slice(-2).map((headers) => headers.get("If-None-Match"))).toEqual([null, '"50"']);
});

test("a change is sent with the tag of what was read", async () => {
  answers.push(fresh({n: 1}, '"a"'), fresh({}, '"b"'));
  await call("GET", "hooks/1");
  await call("PATCH", "hooks/1", {}, tagOf("hooks/1"));
  expect(sent.map((headers) => headers.get("If-Match"))).toEqual([null, '"a"']);
  expect([tagOf("hooks/1"), tagOf("hooks/2")]).toEqual(['"a"', undefined]);
});
