import {execFileSync} from "node:child_process";
import {createHmac} from "node:crypto";
import {expect, test} from "vitest";
import {ordersOf} from "./resend";
import {curlOf, verification} from "./verify";
import {answerOf, duration, soon} from "./words";
import {visible} from "../ui/outside";

test("a selection is resent by endpoint, at most a hundred events a call", () => {
  const many = Array.from({length: 150}, (_, n) => `end_2/evt_${n}`);
  const orders = ordersOf(["end_1/evt_a", ...many, "end_1/evt_b"]);
  expect(orders.map(({endpoint, eventIds}) => [endpoint, eventIds.length])).toEqual([["end_1", 2], ["end_2", 100], ["end_2", 50]]);
  expect(orders[0]?.eventIds).toEqual(["evt_a", "evt_b"]);
});

test("an attempt without an answer is not one with status 0", () => {
  expect(answerOf({lastCode: 503, lastError: "answered 503"})).toBe("503");
  expect(answerOf({lastCode: 0, lastError: "connection refused"})).toBe("no answer");
  expect(answerOf({lastCode: 0, lastError: ""})).toBeUndefined();
  expect([duration(0), duration(999), duration(1204), duration(10_000)]).toEqual(["0 ms", "999 ms", "1.2 s", "10.0 s"]);
});

test("what is overdue is due now", () => {
  const now = new Date("2026-11-20T18:00:00Z");
  expect([soon("2026-11-20T18:04:10Z", now), soon("2026-11-20T17:59:00Z", now)]).toEqual(["in 4 min", "now"]);
});

test("control characters of a receiver are visible, line breaks stay", () => {
  expect(visible("a\u001b[2J\nb\u0000")).toBe("a␀[2J\nb␀");
  expect(visible("x".repeat(600))).toHaveLength(513);
});

const secret = "whsec_test", body = `{"id":"evt_1","data":{"comment":"it's 5 € \\" ${"\\"}u2028"}}`;

function headers(at: number, signed = body) {
  const timestamp = `${Math.floor(at / 1000)}`;
  return {timestamp, signature: `sha256=${createHmac("sha256", secret).update(`${timestamp}.${signed}`).digest("hex")}`};
}

test.each([
  ["valid", headers(Date.now()), true], ["of another body", headers(Date.now(), "{}"), false],
  ["too old", headers(Date.now() - 400_000), false], ["missing", {timestamp: "", signature: ""}, false],
] as const)("the examples verify a signature that is %s", (_, {timestamp, signature}, valid) => {
  const input = JSON.stringify({timestamp, signature, body, secret});
  const javascript = `${verification.JavaScript("X-Desk").replace("export ", "")}
    const {timestamp, signature, body, secret} = JSON.parse(process.argv[1]);
    console.log(verify({"x-desk-timestamp": timestamp, "x-desk-signature": signature}, Buffer.from(body), secret));`;
  expect(execFileSync("node", ["--input-type=module", "-e", javascript, input]).toString().trim()).toBe(`${valid}`);
  const python = `${verification.Python("X-Desk")}
import json, sys
o = json.loads(sys.argv[1])
print(str(verify({"X-Desk-Timestamp": o["timestamp"], "X-Desk-Signature": o["signature"]}, o["body"].encode(), o["secret"])).lower())`;
  expect(execFileSync("python3", ["-c", python, input]).toString().trim()).toBe(`${valid}`);
});

test("the shell sends exactly the body, with a valid signature", () => {
  const script = curlOf("https://example.com/it's", "X-Desk", "evt_1", body).replaceAll("the secret of the endpoint", secret);
  const sent = execFileSync("sh", ["-c", `curl() { for word; do printf '%s\\0' "$word"; done; }\n${script}`]).toString().split("\0");
  expect(sent[sent.indexOf("--data-raw") + 1]).toBe(body);
  expect(sent).toContain("https://example.com/it's");
  const timestamp = sent.find((word) => word.startsWith("X-Desk-Timestamp: "))?.slice(18) ?? "";
  expect(sent).toContain(`X-Desk-Signature: sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`);
});
