import type { components } from "./api.gen.js";

/** Codes of the service. A later version of the service may add some. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/**
 * Codes of errors that the client itself reports:
 *
 * - `connection_failed`: there was no response, or a part of one.
 * - `timeout`: there was no response within the time-out.
 * - `aborted`: the caller's signal was aborted; nothing was changed.
 * - `bad_response`: the response is not one of the service, for instance a page of a proxy.
 * - `outcome_unknown`: a request that changes something was sent, and whether it was carried
 *   out is not known. `details.requestId` is that of the order, `cause` the last error.
 * - `slow_consumer`: the program reads a subscription too slowly, and its queue is full.
 */
export type ClientErrorCode =
  "connection_failed" | "timeout" | "aborted" | "bad_response" | "outcome_unknown" | "slow_consumer";

/** Details of an error; which there are depends on the code. */
export type ErrorDetails = components["schemas"]["Error"]["error"]["details"] & Record<string, unknown>;

export interface ErrorFields {
  status?: number;
  details?: ErrorDetails;
  requestId?: string | null;
  retryAfterSec?: number | null;
  docUrl?: string | null;
  cause?: unknown;
}

/** The error of every rejected or failed request, and of every subscription that ends. */
export class VenuegateError extends Error {
  override readonly name = "VenuegateError";
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** The status of the response, or null if there was none. */
  readonly status: number | null;
  readonly details: ErrorDetails;
  /** The id of the response; quote it in support requests. Null if there was none. */
  readonly requestId: string | null;
  /** How long to wait before the next attempt, where the service has stated it. */
  readonly retryAfterSec: number | null;
  /** Where the code is explained, relative to the address of the service. Null if there was no response. */
  readonly docUrl: string | null;

  constructor(code: VenuegateError["code"], message: string, fields: ErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? null;
    this.details = fields.details ?? {};
    this.requestId = fields.requestId ?? null;
    this.retryAfterSec = fields.retryAfterSec ?? null;
    this.docUrl = fields.docUrl ?? null;
  }
}
