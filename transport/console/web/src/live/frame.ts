// Messages of the stream, GET /v1/stream.

/** A message of a topic. */
export interface Frame {
  readonly channel: string;
  readonly type: "snapshot" | "update" | "delta" | "gap" | "stale";
  readonly seq: number;
  readonly ts: string;
  readonly venueTs: string | null;
  readonly data?: unknown;
  /** Of a gap in the trades: how many were not sent; null if that is not known. */
  readonly missed?: number | null;
}

/** The reply to a message of the page, or the first message of a connection. */
export interface Reply {
  readonly op: "welcome" | "auth" | "subscribe" | "unsubscribe" | "pong" | "error";
  readonly ok?: boolean;
  readonly message?: string;
  readonly rejected?: readonly {readonly channel: string; readonly message: string}[];
}

/** parse returns the message that a text frame holds, undefined if it is none of the stream. */
export function parse(text: unknown): Frame | Reply | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const message = JSON.parse(text) as Partial<Frame & Reply> | null;
    const isFrame = typeof message?.channel === "string" && typeof message.type === "string" && typeof message.seq === "number";
    return isFrame || typeof message?.op === "string" ? message as Frame | Reply : undefined;
  } catch {
    return undefined;
  }
}

/** isReply reports which of the two a message is. */
export function isReply(message: Frame | Reply): message is Reply {
  return "op" in message;
}
