// Examples of how a receiver verifies the signature of an event, with nothing but the standard
// library of each language.

const python = (prefix: string) => `import hashlib, hmac, time

def verify(headers, body: bytes, secret: str) -> bool:
    """body is the raw body of the request."""
    timestamp = headers.get("${prefix}-Timestamp", "")
    given = headers.get("${prefix}-Signature", "")
    signed = timestamp.encode() + b"." + body
    want = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return (hmac.compare_digest(want.encode(), given.encode())
            and timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= 300)
`;

const javascript = (prefix: string) => `import {createHmac, timingSafeEqual} from "node:crypto";

// headers are those of Node's IncomingMessage, body is the raw body of the request.
export function verify(headers, body, secret) {
  const timestamp = headers["${prefix.toLowerCase()}-timestamp"] ?? "";
  const given = Buffer.from(headers["${prefix.toLowerCase()}-signature"] ?? "");
  const sum = createHmac("sha256", secret).update(timestamp + ".").update(body).digest("hex");
  const want = Buffer.from("sha256=" + sum);
  return given.length === want.length && timingSafeEqual(given, want)
    && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
}
`;

const go = (prefix: string) => `// verify reports whether a request with this raw body is from the service.
func verify(r *http.Request, body []byte, secret string) bool {
	timestamp := r.Header.Get("${prefix}-Timestamp")
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", timestamp, body)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && hmac.Equal([]byte(want), []byte(r.Header.Get("${prefix}-Signature"))) &&
		time.Since(time.Unix(sent, 0)).Abs() <= 5*time.Minute
}
`;

/** The examples by language, for the prefix of the headers. */
export const verification = {Python: python, JavaScript: javascript, Go: go} as const;

/** curlOf returns a shell script that sends a body as the service does, signed with a secret that its reader fills in. */
export function curlOf(url: string, prefix: string, eventId: string, body: string): string {
  return `SECRET='the secret of the endpoint'
BODY=${quote(body)}
TIMESTAMP=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl -i ${quote(url)} -H 'Content-Type: application/json' \\
  -H "${prefix}-Timestamp: $TIMESTAMP" -H "${prefix}-Signature: sha256=$SIGNATURE" \\
  -H ${quote(`${prefix}-Event-Id: ${eventId}`)} -H '${prefix}-Attempt: 1' --data-raw "$BODY"
`;
}

// quote returns a text as one word of a shell.
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
