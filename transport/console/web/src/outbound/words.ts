// What the pages of endpoints and of deliveries say alike.
import type {Delivery, Endpoint} from "../api/types";
import {ago} from "../ui/Time";

interface EventType {
  readonly type: string;
  readonly reports: string;
  /** The kinds of endpoint that receive it; without it every kind but rows of closed trades. */
  readonly kinds?: readonly Endpoint["kind"][];
}

/** The types of event, with what each reports. */
export const eventTypes: readonly EventType[] = [
  {type: "order.filled", reports: "An order is filled completely."},
  {type: "order.partially_filled", reports: "A part of an order is filled."},
  {type: "position.closed", reports: "A position is closed, with its result."},
  {type: "stop.triggered", reports: "A stop loss or take profit was reached."},
  {type: "alert.fired", reports: "A price alert fired."},
  {type: "risk.limit_reached", reports: "The limit of the daily loss was reached."},
  {type: "notification", reports: "A signal of a channel that asks only for a message.", kinds: ["telegram"]},
];

/** eventTypesOf returns the types of event that endpoints of a kind may be limited to. */
export function eventTypesOf(kind: Endpoint["kind"]): readonly EventType[] {
  return eventTypes.filter(({kinds}) => !kinds || kinds.includes(kind));
}

export const kindWords: Readonly<Record<Endpoint["kind"], string>> = {webhook: "webhook", telegram: "chat", sheet: "spreadsheet", file: "workbook"};

/** takesRows reports whether endpoints of a kind receive closed positions alone, one row each. */
export function takesRows(kind: Endpoint["kind"]): boolean {
  return kind === "sheet" || kind === "file";
}

/** The service counts no more waiting events of an endpoint. */
export const WAITING_MAX = 1000;

/** nameOf returns what an endpoint is called: its name, or where it sends to. */
export function nameOf(endpoint: Endpoint): string {
  return endpoint.name || targetOf(endpoint);
}

/** targetOf returns where an endpoint sends to. */
export function targetOf(endpoint: Endpoint): string {
  return (endpoint.url ?? endpoint.target ?? endpoint.id).replace(/^https?:\/\//, "");
}

/** duration returns milliseconds as text. */
export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** soon returns when something that is due happens: how long from now, or that it does now. */
export function soon(at: string, now: Date): string {
  const due = new Date(at);
  return due <= now ? "now" : ago(due, now);
}

/** answerOf returns how the receiver has answered the last attempt; undefined if there was none. */
export function answerOf({lastCode, lastError}: Pick<Delivery, "lastCode" | "lastError">): string | undefined {
  return lastCode > 0 ? `${lastCode}` : lastError === "" ? undefined : "no answer";
}
