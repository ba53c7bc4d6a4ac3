// Where a record is shown, for links from other pages.
import type {DeliveryDetail, Order} from "../api/types";

/** pathOfOrder returns where an order is shown. */
export function pathOfOrder(id: string): string {
  return `/orders?status=all&order=${encodeURIComponent(id)}`;
}

/** pathOfSignal returns where a signal is shown. */
export function pathOfSignal(id: string): string {
  return `/signals/${encodeURIComponent(id)}`;
}

/** pathOfEvent returns where the deliveries of an event are listed. */
export function pathOfEvent(id: string): string {
  return `/deliveries?eventId=${encodeURIComponent(id)}`;
}

/** pathOfOrigin returns the list of the signals that an order may come from: a channel gives an order the request id of its signal. It is undefined if no channel placed it. */
export function pathOfOrigin({channelId, requestId}: Pick<Order, "channelId" | "requestId">): string | undefined {
  return channelId && requestId ? `/signals?${new URLSearchParams({channel: channelId, text: requestId}).toString()}` : undefined;
}

/** orderIn returns the id of the order that the body of an event names; undefined if it names none. */
export function orderIn({body}: Pick<DeliveryDetail, "body">): string | undefined {
  try {
    const {data} = JSON.parse(body ?? "{}") as {data?: {orderId?: unknown}};
    return typeof data?.orderId === "string" ? data.orderId : undefined;
  } catch {
    return undefined; // a body of an older version
  }
}

/** pathOfRecord returns where one of the pages of a user shows the record with an id; undefined if none does. */
export function pathOfRecord(id: string, pages: readonly {readonly path: string}[]): string | undefined {
  const [, prefix] = /^([a-z]+)_[0-9A-Za-z]+$/.exec(id) ?? [];
  const path = pathOf(prefix, id);
  return path !== undefined && pages.some((page) => path.split(/[/?]/)[1] === page.path.slice(1)) ? path : undefined;
}

function pathOf(prefix: string | undefined, id: string): string | undefined {
  switch (prefix) {
    case "ord": return pathOfOrder(id);
    case "sig": return pathOfSignal(id);
    case "evt": return pathOfEvent(id);
    case "hook": return `/channels/${id}`;
    case "end": return `/endpoints/${id}`;
    default: return undefined;
  }
}
