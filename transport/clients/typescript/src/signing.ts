import type { Event } from "./events.js";

/** How far the time of a signature may be from the clock of its receiver, in seconds. */
export const toleranceSec = 300;

const defaultPrefix = "X-Service";
const encoder = new TextEncoder();

export type { Event };
export type SignatureReason = "missing_signature" | "malformed_signature" | "signature_mismatch" | "stale_timestamp";

/** The error of an event whose signature is not valid. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
  constructor(readonly reason: SignatureReason) {
    super(`the signature is not valid: ${reason}`);
  }
}

export interface SigningOptions {
  /** Prefix of the header names, if the service is configured with another than `X-Service`. */
  headerPrefix?: string;
  /** The current time in milliseconds. Default: the clock. */
  nowMs?: number;
}

/** Returns the headers that sign the body of a signal. Send exactly these bytes as the body. */
export async function signHook(
  secret: string, body: string | Uint8Array, options: SigningOptions = {},
): Promise<Record<string, string>> {
  const { headerPrefix = defaultPrefix, nowMs = Date.now() } = options;
  const timestamp = String(Math.floor(nowMs / 1000));
  const sum = await crypto.subtle.sign("HMAC", await importKey(secret, "sign"), signedBytes(timestamp, body));
  const hex = Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { [`${headerPrefix}-Signature`]: `sha256=${hex}`, [`${headerPrefix}-Timestamp`]: timestamp };
}

/** Headers of a request: of `fetch`, or of Node's `IncomingMessage`. */
export type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Returns the event of a request that an endpoint has received, or throws a `SignatureError`.
 * `body` is the raw body. A list of secrets accepts any of them, for a rotation. Discard events
 * whose `id` you have already processed: a delivery may be repeated.
 */
export async function verifyEvent(
  secrets: string | readonly string[], headers: ReceivedHeaders, body: string | Uint8Array, options: SigningOptions = {},
): Promise<Event> {
  const { headerPrefix = defaultPrefix, nowMs = Date.now() } = options;
  const signature = headerValue(headers, `${headerPrefix}-Signature`);
  const timestamp = headerValue(headers, `${headerPrefix}-Timestamp`);
  if (!signature || !timestamp) throw new SignatureError("missing_signature");
  const hex = /^sha256=([0-9A-Fa-f]{64})$/.exec(signature)?.[1];
  if (!hex || !/^[0-9]{1,12}$/.test(timestamp)) throw new SignatureError("malformed_signature");
  const sum = Uint8Array.from(hex.match(/../g)!, (digits) => parseInt(digits, 16));
  const data = signedBytes(timestamp, body);
  // verify compares in constant time; every secret is tried, whether an earlier one matched or not.
  const matches = await Promise.all([secrets].flat().map(async (secret) =>
    crypto.subtle.verify("HMAC", await importKey(secret, "verify"), sum, data)));
  if (!matches.includes(true)) throw new SignatureError("signature_mismatch");
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSec) throw new SignatureError("stale_timestamp");
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
}

function importKey(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [usage]);
}

function signedBytes(timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${timestamp}.`);
  const tail = typeof body === "string" ? encoder.encode(body) : body;
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

function headerValue(headers: ReceivedHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((given) => given.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}
