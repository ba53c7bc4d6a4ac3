import type {Hook} from "../../api/types";

/** What an example orders. Absent values are left out. */
export interface Example {
  readonly exchange: string;
  readonly symbol: string;
  readonly qty: string;
  readonly stopLoss: string;
}

/** signalOf returns the body of a signal that buys at market. It stands between quotes in scripts: nothing that would end them is in it. */
export function signalOf({exchange, symbol, qty, stopLoss}: Example): string {
  const plain = (text: string) => text.replace(/[^\w.:/-]/g, "");
  return JSON.stringify({action: "order", exchange, symbol: plain(symbol), side: "buy", qty: plain(qty), ...(stopLoss === "" ? {} : {stopLoss: plain(stopLoss)})});
}

/** identified returns the body of a signal with a request id. One that has an id already, or is no object, stays as it is; so does the text of every number. */
export function identified(body: string, requestId: string): string {
  let signal: unknown;
  try {
    signal = JSON.parse(body);
  } catch {
    return body; // the service says what is wrong with it
  }
  if (typeof signal !== "object" || signal === null || Array.isArray(signal) || "requestId" in signal) return body;
  const separator = Object.keys(signal).length > 0 ? "," : "";
  return `${body.trimEnd().slice(0, -1)}${separator}"requestId":${JSON.stringify(requestId)}}`;
}

/** chartMessage returns the text of a charting platform's alert. The platform replaces what is in double braces. */
export function chartMessage(exchange: string, rules: Hook["rules"], token: string): string {
  return [
    `{"action":"order","exchange":${JSON.stringify(exchange)},"symbol":"{{ticker}}",`,
    ` "side":"{{strategy.order.action}}","qty":{{strategy.order.contracts}},`,
    ...(rules.stopRequired ? [` "stopLoss":{{plot("Stop")}},`] : []),
    // A strategy that turns its position may send two alerts in one second; the position
    // that each leads to is another.
    ` "requestId":"{{ticker}}-{{timenow}}-{{strategy.position_size}}",`,
    ` "time":"{{timenow}}","channelToken":${JSON.stringify(token)}}`,
  ].join("\n");
}

/** What a script sends signals with. */
export interface Sender {
  readonly url: string;
  readonly secret: string;
  /** The beginning of the names of the headers, such as X-Service. */
  readonly headerPrefix: string;
  readonly body: string;
}

export const languages = ["Shell", "Python", "JavaScript"] as const;
export type Language = (typeof languages)[number];

/** scriptOf returns a program that signs a signal and sends it. */
export const scriptOf: Readonly<Record<Language, (sender: Sender) => string>> = {
  Shell: ({url, secret, headerPrefix, body}) => `BODY='${body}'
TIME=$(date +%s)
SIGN=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac '${secret}' -r | cut -d' ' -f1)
curl -sS '${url}' -H 'Content-Type: application/json' \\
  -H "${headerPrefix}-Timestamp: $TIME" -H "${headerPrefix}-Signature: sha256=$SIGN" -d "$BODY"`,
  Python: ({url, secret, headerPrefix, body}) => `import hashlib, hmac, time, urllib.request
body = b'${body}'
now = str(int(time.time()))
sign = hmac.new(b"${secret}", now.encode() + b"." + body, hashlib.sha256).hexdigest()
headers = {"Content-Type": "application/json", "${headerPrefix}-Timestamp": now, "${headerPrefix}-Signature": "sha256=" + sign}
print(urllib.request.urlopen(urllib.request.Request("${url}", body, headers)).read().decode())`,
  JavaScript: ({url, secret, headerPrefix, body}) => `const { createHmac } = require("node:crypto");
const body = '${body}';
const now = String(Math.floor(Date.now() / 1000));
const sign = createHmac("sha256", "${secret}").update(\`\${now}.\${body}\`).digest("hex");
const headers = { "Content-Type": "application/json", "${headerPrefix}-Timestamp": now, "${headerPrefix}-Signature": \`sha256=\${sign}\` };
fetch("${url}", { method: "POST", headers, body }).then((r) => r.text()).then(console.log);`,
};
