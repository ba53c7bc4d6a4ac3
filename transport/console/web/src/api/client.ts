// Calls of the console's own API, with the session's cookie, and what all calls have in common.
import type {Order} from "./types";

/** The user has closed the dialog that an act asked for. Nothing was done. */
export class Cancelled extends Error {}

/** A response with an error, or none at all (code "no_answer"). */
export class CallError extends Error {
  /** When it was received, in milliseconds as of Date.now. */
  readonly at = Date.now();

  constructor(
    readonly code: string, message: string, readonly status: number,
    readonly requestId?: string, readonly retryAfterSeconds?: number,
    readonly fields: readonly FieldFault[] = [],
    /** What a call that is forbidden needs first: "step_up" or "second_step". */
    readonly required?: string,
    /** The order that a rejection, or a request that was handled before, is about. */
    readonly order?: Order,
  ) {
    super(message);
  }
}

/** What is wrong with one member of a request. */
export interface FieldFault {
  readonly field: string;
  readonly rule: string;
  readonly allowed?: string;
}

/** faultOf returns what is wrong with a field, in words; undefined if nothing is. */
export function faultOf(failure: Error | undefined, field: string): string | undefined {
  const fault = failure instanceof CallError ? failure.fields.find((f) => f.field === field) : undefined;
  return fault && (fault.allowed ? `Allowed: ${fault.allowed}.` : fault.rule.replaceAll("_", " "));
}

interface ErrorBody {
  error?: {code?: string; message?: string; requestId?: string; details?: {fields?: FieldFault[]; required?: string; order?: Order}};
}

// Longer than the service works on a call, so that its own answer comes first.
const TIMEOUT_MILLISECONDS = 25_000;

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

let isUnattended = () => false;

/** markUnattended marks the calls that are made while a condition holds: they do not prolong the session. */
export function markUnattended(condition: () => boolean): void {
  isUnattended = condition;
}

function ownHeaders(): Readonly<Record<string, string>> {
  return isUnattended() ? {"X-Console": "1", "X-Unattended": "1"} : {"X-Console": "1"};
}

/** call sends one request below /console/api/ and returns the body of its response. A text is sent as it is. With a tag, a record that has another by now is not changed: the call fails with status 412. */
export async function call<T>(method: Method, path: string, body?: object | string, tag?: string): Promise<T> {
  const url = `/console/api/${path}`, headers = ownHeaders();
  if (method !== "GET") return send(url, method, tag === undefined ? headers : {...headers, "If-Match": tag}, body);
  const last = answered.get(url);
  const answer = await answerOf(url, method, last ? {...headers, "If-None-Match": last.tag} : headers, undefined, last?.text);
  if (answer.tag !== null) keep(url, {text: answer.text, tag: answer.tag});
  return parsed(answer.text, method);
}

/** What a GET has answered last, with the tag of which the service says that it has not changed. */
interface Answered {
  readonly text: string;
  readonly tag: string;
}

const ANSWERED_MOST = 50;
const answered = new Map<string, Answered>();

function keep(url: string, answer: Answered): void {
  answered.delete(url); // the oldest is the first
  answered.set(url, answer);
  const [oldest] = answered.keys();
  if (answered.size > ANSWERED_MOST && oldest !== undefined) answered.delete(oldest);
}

/** tagOf returns the tag of what a path has answered last. */
export function tagOf(path: string): string | undefined {
  return answered.get(`/console/api/${path}`)?.tag;
}

/** forgetAnswers drops what was read in a session, at its end. */
export function forgetAnswers(): void {
  answered.clear();
}

/** callForText reads below /console/api/ what is not JSON. */
export function callForText(path: string): Promise<string> {
  return sendForText(`/console/api/${path}`, "GET", {...ownHeaders(), Accept: "*/*"});
}

/** send sends one request to the service and returns the body of its response. */
export async function send<T>(url: string, method: Method, more: Readonly<Record<string, string>>, body?: object | string): Promise<T> {
  return parsed(await sendForText(url, method, more, body), method);
}

function parsed<T>(text: string, method: Method): T {
  try {
    return (text === "" ? undefined : JSON.parse(text)) as T;
  } catch {
    throw noAnswer(method, "The answer is not one of the service.");
  }
}

async function sendForText(url: string, method: Method, more: Readonly<Record<string, string>>, body?: object | string): Promise<string> {
  return (await answerOf(url, method, more, body)).text;
}

// An answer that has not changed since the last one is that one.
async function answerOf(url: string, method: Method, more: Readonly<Record<string, string>>, body?: object | string, last?: string): Promise<{text: string; tag: string | null}> {
  const headers: Record<string, string> = {Accept: "application/json", ...more};
  if (method !== "GET") headers["Content-Type"] = "application/json";
  let response: Response, text: string;
  try {
    response = await fetch(url, {
      method, headers, body: method === "GET" ? null : typeof body === "string" ? body : JSON.stringify(body ?? {}),
      credentials: "same-origin", redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    text = await response.text();
  } catch {
    throw noAnswer(method, "No answer.");
  }
  const tag = response.headers.get("ETag");
  if (response.status === NOT_MODIFIED && last !== undefined) return {text: last, tag};
  if (!response.ok) throw errorOf(response, text);
  return {text, tag};
}

const NOT_MODIFIED = 304;

function noAnswer(method: Method, message: string): CallError {
  return new CallError(method === "GET" ? "no_answer" : OUTCOME_UNKNOWN, message, 0);
}

const OUTCOME_UNKNOWN = "outcome_unknown";

/** isOutcomeUnknown reports whether a call that changes something may have done so in spite of its failure. */
export function isOutcomeUnknown(failure: unknown): boolean {
  return failure instanceof CallError && (failure.code === OUTCOME_UNKNOWN || failure.code === "internal_error" || failure.code.startsWith("http_5"));
}

function errorOf(response: Response, text: string): CallError {
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // A proxy in front of the service answers in its own words.
  }
  const after = response.headers.get("Retry-After");
  return new CallError(
    body.error?.code ?? `http_${response.status}`, body.error?.message ?? `Status ${response.status}.`, response.status,
    body.error?.requestId, after !== null && /^\d{1,6}$/.test(after) ? secondsOf(after) : undefined,
    body.error?.details?.fields, body.error?.details?.required, body.error?.details?.order,
  );
}

/** secondsOf returns the number that digits are: counts and durations are the only numbers of a page. */
export function secondsOf(digits: string): number {
  return [...digits].reduce((sum, digit) => sum * 10 + "0123456789".indexOf(digit), 0);
}
