import { backoffMs, sleep } from "./backoff.js";
import { VenuegateError, type ErrorDetails } from "./errors.js";

const firstRetryMs = 250;
const retryJitterMs = 250;

/** Limits of a request. */
export interface RequestOptions {
  signal?: AbortSignal;
  /** How long an attempt may take. Default 10 s; the service responds to orders within 3 s. */
  attemptTimeoutMs?: number;
  /** How long a request may take with its retries. Default 30 s. A longer `Retry-After` is not waited for. */
  totalTimeoutMs?: number;
  /** How often a request is sent again at most. Default and maximum 5. */
  retriesMax?: number;
}

export interface HttpOptions extends RequestOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** API key, `vgk_...`. Only signals and service routes work without one. */
  apiKey?: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

export interface Call {
  method: string;
  path: string;
  query?: object;
  body?: string;
  /** Returns the headers of an attempt. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Whether the request changes something, so that a lost response leaves its outcome unknown. */
  changes?: boolean;
  /** Whether the request must not be repeated while its outcome is unknown. */
  once?: boolean;
  /** Idempotency key, for the details of `outcome_unknown`. */
  requestId?: string;
}

/** Failures of an attempt before the request was sent. Browsers do not report them apart. */
const unsentCauses = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Sends requests and retries them by the rules of the document. */
export class Http {
  constructor(readonly options: HttpOptions) {}

  /** Returns the decoded response. Every error is a `VenuegateError`. */
  async send(call: Call, limits: RequestOptions = {}): Promise<unknown> {
    const { attemptTimeoutMs = 10_000, totalTimeoutMs = 30_000, retriesMax = 5, signal } = { ...this.options, ...limits };
    const deadline = Date.now() + totalTimeoutMs;
    let ambiguous = false;
    for (let retry = 0; ; retry++) {
      let error: VenuegateError;
      try {
        signal?.throwIfAborted();
        return await this.attempt(call, Math.min(attemptTimeoutMs, deadline - Date.now()), signal);
      } catch (thrown) {
        error = asError(thrown, signal);
      }
      ambiguous ||= isAmbiguous(error);
      const waitMs = waitBefore(retry, error);
      const mayRepeat = isTemporary(error) && !(call.once && isAmbiguous(error));
      if (mayRepeat && retry < Math.min(retriesMax, 5) && Date.now() + waitMs < deadline) {
        const aborted = await sleep(waitMs, signal).then(() => null, (reason) => asError(reason, signal));
        if (!aborted) continue;
        error = aborted;
      }
      throw call.changes && ambiguous && !decides(error) ? outcomeUnknown(call, error) : error;
    }
  }

  private async attempt(call: Call, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const { baseUrl, apiKey, fetch = globalThis.fetch } = this.options;
    const headers: Record<string, string> = { ...(await call.headers?.()) };
    if (!call.headers && apiKey) headers.Authorization = `Bearer ${apiKey}`;
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    const url = baseUrl.replace(/\/+$/, "") + call.path + queryString(call.query);
    const limit = new AbortController();
    const abort = () => limit.abort(new Sent("aborted", "aborted by the caller", { cause: signal!.reason }));
    signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => limit.abort(new Sent("timeout", `no response within ${timeoutMs} ms`)), timeoutMs);
    try {
      const response = await fetch(url, { method: call.method, headers, body: call.body, signal: limit.signal, redirect: "error" });
      return decode(response, await response.text());
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

/** An error of an attempt that was sent, or may have been. */
class Sent extends VenuegateError {}

function queryString(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? "?" + new URLSearchParams(given.map(([name, value]) => [name, String(value)])) : "";
}

function decode(response: Response, text: string): unknown {
  const { status, headers } = response;
  const requestId = headers.get("X-Request-Id");
  const isJSON = headers.get("Content-Type")?.startsWith("application/json");
  if (response.ok && !isJSON) return text;
  let body: { error?: { code: string; message: string; details?: ErrorDetails; requestId?: string; docUrl?: string }; ready?: boolean };
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new Sent("bad_response", `${status} with a body that is not JSON`, { status, requestId, cause });
  }
  if (response.ok || typeof body.ready === "boolean") return body;
  if (!body.error?.code) throw new Sent("bad_response", `${status} without an error of the service`, { status, requestId });
  const { code, message, details, docUrl } = body.error;
  const retryAfter = headers.get("Retry-After");
  throw new VenuegateError(code, message, {
    status, details, docUrl, requestId: requestId ?? body.error.requestId, retryAfterSec: retryAfter ? Number(retryAfter) : null,
  });
}

function asError(thrown: unknown, signal?: AbortSignal): VenuegateError {
  if (thrown instanceof VenuegateError) return thrown;
  if (signal?.aborted) return new VenuegateError("aborted", "aborted by the caller", { cause: thrown });
  const cause = (thrown as { cause?: { code?: string; message?: string } }).cause;
  const message = `no response: ${cause?.message || cause?.code || String(thrown)}`;
  const failed = unsentCauses.has(cause?.code ?? "") ? VenuegateError : Sent;
  return new failed("connection_failed", message, { cause: thrown });
}

/** Reports whether the request may have been carried out without a response that says so. */
function isAmbiguous(error: VenuegateError): boolean {
  return error instanceof Sent || error.status === 500;
}

function isTemporary(error: VenuegateError): boolean {
  if (error.status !== null) return error.status >= 500 || error.status === 429;
  return error.code === "connection_failed" || error.code === "timeout";
}

/**
 * Reports whether an error decides the outcome of earlier attempts, too: the service compares
 * the requestId before it returns these. Others (401, 429, 503 ...) come before that.
 */
function decides(error: VenuegateError): boolean {
  if (error instanceof Sent) return false;
  return [400, 409, 422, 502].includes(error.status ?? 0) || (error.status === 404 && error.details.status !== undefined);
}

function waitBefore(retry: number, error: VenuegateError): number {
  const statedMs = error.retryAfterSec === null ? 0 : error.retryAfterSec * 1000 + Math.random() * retryJitterMs;
  return Math.max(statedMs, backoffMs(firstRetryMs, retry));
}

function outcomeUnknown(call: Call, cause: VenuegateError): VenuegateError {
  const details = call.requestId === undefined ? {} : { requestId: call.requestId };
  const message = `${call.method} ${call.path} was sent, and its outcome is not known: ${cause.message}`;
  return new VenuegateError("outcome_unknown", message, { details, cause });
}
