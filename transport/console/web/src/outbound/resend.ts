import {call} from "../api/client";
import type {Delivery, Endpoint, Resent} from "../api/types";

/** keyOf identifies a delivery on a page and in its URL. */
export function keyOf(delivery: Pick<Delivery, "endpoint" | "eventId">): string {
  return `${delivery.endpoint}/${delivery.eventId}`;
}

/** The events of one call; the service takes no more. */
const EVENTS_MAX = 100;

/** ordersOf returns the calls that resend deliveries: by endpoint, each with the ids of its events. */
export function ordersOf(keys: readonly string[]): {endpoint: string; eventIds: string[]}[] {
  const orders: {endpoint: string; eventIds: string[]}[] = [];
  for (const key of keys) {
    const [endpoint = "", event = ""] = key.split("/");
    const open = orders.find((order) => order.endpoint === endpoint && order.eventIds.length < EVENTS_MAX);
    if (open) open.eventIds.push(event);
    else orders.push({endpoint, eventIds: [event]});
  }
  return orders;
}

/** resendSelected delivers the selected events again. */
export async function resendSelected(keys: readonly string[]): Promise<void> {
  for (const {endpoint, eventIds} of ordersOf(keys)) await call<Resent>("POST", `endpoints/${endpoint}/resend`, {eventIds});
}

/** resendUndelivered delivers the undelivered events of endpoints again that were queued since a moment, or all. */
export async function resendUndelivered(endpoints: readonly Endpoint[], since: string): Promise<void> {
  const order = since === "" ? {all: true} : {undeliveredSince: since};
  for (const {id} of endpoints) await call<Resent>("POST", `endpoints/${id}/resend`, order);
}
