import type { components } from "./api.gen.js";
import type { BookLevels } from "./book.js";
import type { Decimal } from "./decimal.js";

type Schemas = components["schemas"];

/** Close codes of the stream, which are also the codes of its errors. */
export const StreamCode = {
  badMessage: 4000, unauthorized: 4001, scopeRequired: 4003, unknownChannel: 4004, pingTimeout: 4008,
  slowConsumer: 4009, authTimeout: 4010, serverRestart: 4012, limit: 4029,
} as const;
export type StreamCode = (typeof StreamCode)[keyof typeof StreamCode];

export type Depth = 1 | 5 | 10 | 20 | 50 | 100 | 200;
export type Timeframe = Schemas["Timeframe"];

/** A message of a topic. `ts` is when the service made it, `venueTs` the venue's time. */
export interface Message<Type extends string, Data> {
  type: Type;
  seq: number;
  ts: string;
  venueTs: string | null;
  data: Data;
}

/**
 * What was received before must not be used until the next snapshot. `venue`: the service
 * lost messages of the venue. `gap`: a message of the service is missing. `disconnected`:
 * the connection was lost.
 */
export interface StaleEvent {
  type: "stale";
  reason: "venue" | "gap" | "disconnected";
}

/** Trades that were not received: `missed` is their number, null if it is not known. */
export interface GapEvent {
  type: "gap";
  missed: number | null;
  reason: "venue" | "gap" | "disconnected" | "slow_consumer";
}

/** A trade; `ts` is the time of the venue. */
export interface Trade { id: string; price: Decimal; qty: Decimal; side: Schemas["Side"]; ts: string | null }
export type Candle = Schemas["Candle"];

export type TradeEvent = Message<"update", Trade> | GapEvent;
export type BookEvent = Message<"snapshot" | "delta", BookLevels> | StaleEvent;
export type CandleEvent = Message<"snapshot" | "update", Candle> | StaleEvent;
/** A snapshot of all records, then each record that changes. */
export type RecordEvent<R> = Message<"snapshot", R[]> | Message<"update", R> | StaleEvent;
export type OrderEvent = RecordEvent<Schemas["Order"]>;
export type PositionEvent = RecordEvent<Schemas["Position"]>;
export type BalanceEvent = RecordEvent<Schemas["Account"]>;

export interface Rejection { channel: string; code: number; message: string; reason: Schemas["ErrorCode"] }

/** A frame of the service: a message of a topic has a channel, a reply an op. */
export interface Frame {
  channel?: string;
  op?: string;
  id?: number;
  type?: string;
  seq?: number;
  missed?: number | null;
  code?: number;
  message?: string;
  details?: { reason?: string; retryAfterSec?: number; [name: string]: unknown };
  pingSec?: number;
  channels?: string[];
  rejected?: Rejection[];
}
