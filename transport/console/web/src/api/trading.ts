// Calls of the REST API below /v1/, with the token of the session. The token is in memory only.
import {CallError, call, send, type Method} from "./client";
import type {Token} from "./types";

// The service keeps a token for ten minutes after it was last asked for.
const RENEW_AFTER_MILLISECONDS = 4 * 60_000;

interface Held {
  readonly text: string;
  readonly renewAt: number;
}

let held: Held | undefined;
let renewal: Promise<string> | undefined;
// Counts sessions: what one has asked for is not kept for the next.
let generation = 0;

/** token returns the token of the session, renewed if it is older than four minutes. */
export function token(): Promise<string> {
  if (held && Date.now() < held.renewAt) return Promise.resolve(held.text);
  if (!renewal) {
    const mine = renew().finally(() => {
      if (renewal === mine) renewal = undefined;
    });
    renewal = mine;
  }
  return renewal;
}

async function renew(): Promise<string> {
  const asked = generation;
  const {token: text} = await call<Token>("POST", "session/token");
  if (asked !== generation) throw new CallError("unauthorized", "The session has ended.", 401);
  held = {text, renewAt: Date.now() + RENEW_AFTER_MILLISECONDS};
  return text;
}

/** forgetToken drops the token at the end of a session. */
export function forgetToken(): void {
  generation++;
  held = renewal = undefined;
}

let owner: string | undefined;

/** keepTokenOf drops the token if it may be the one of another user, who was signed in before. */
export function keepTokenOf(user: string): void {
  if (owner !== user) forgetToken();
  owner = user;
}

/**
 * trading sends one request below /v1/ and returns the body of its response. A request that is
 * refused because the token has ended was not carried out: it is sent once more with another.
 */
export async function trading<T>(method: Method, path: string, body?: object): Promise<T> {
  const used = await tokenFor(method);
  try {
    return await sendWith<T>(used, method, path, body);
  } catch (thrown) {
    if (!(thrown instanceof CallError) || thrown.status !== 401) throw thrown;
  }
  if (held?.text === used) held = undefined;
  return sendWith<T>(await tokenFor(method), method, path, body);
}

function sendWith<T>(text: string, method: Method, path: string, body?: object): Promise<T> {
  return send(`/v1/${path}`, method, {Authorization: `Bearer ${text}`}, body);
}

// Without a token nothing was sent, so that the outcome is known.
async function tokenFor(method: Method): Promise<string> {
  try {
    return await token();
  } catch (thrown) {
    if (method !== "GET" && thrown instanceof CallError && thrown.status === 0) throw new CallError("no_answer", thrown.message, 0);
    throw thrown;
  }
}

/** newRequestId returns an idempotency key. One is made when a dialog opens, and kept until the outcome is known. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** query returns the query of a list, with its question mark; names without a value are left out. */
export function query(values: Readonly<Record<string, string | null | undefined>>): string {
  const pairs = Object.entries(values).filter((pair): pair is [string, string] => !!pair[1]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : "";
}
