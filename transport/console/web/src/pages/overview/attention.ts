// What needs somebody, the most urgent first.
import type {Endpoint, Key, Order, Position, Venue, VenueAccount} from "../../api/types";
import {pathOfOrder} from "../../app/paths";
import {plain} from "../../orders/words";
import {nameOf} from "../../outbound/words";

/** One thing to look at. */
export interface Need {
  readonly id: string;
  readonly kind: "alarm" | "unknown" | "warning";
  readonly text: string;
  /** From when on, where that is known. */
  readonly since?: string | null;
  /** The page where it can be mended. */
  readonly href: string;
}

/** What is known; a part that could not be read is absent and yields nothing. */
export interface Known {
  readonly positions?: readonly Position[] | undefined;
  readonly orders?: readonly Order[] | undefined;
  readonly accounts?: readonly VenueAccount[] | undefined;
  readonly venues?: readonly Venue[] | undefined;
  readonly endpoints?: readonly Endpoint[] | undefined;
  /** Undelivered events by the id of their endpoint, "100+" if there are more. */
  readonly undelivered?: Readonly<Record<string, string>> | undefined;
  readonly keys?: readonly Key[] | undefined;
}

const SOON_MILLISECONDS = 7 * 86_400_000;

/** needsOf returns what needs somebody. */
export function needsOf(known: Known, now: Date): Need[] {
  return [
    ...(known.positions ?? []).filter(({stopLoss}) => stopLoss === null).map((p): Need => ({
      id: `position ${p.exchange} ${p.symbol} ${p.side}`, kind: "alarm", href: `/positions?exchange=${p.exchange}&symbol=${encodeURIComponent(p.symbol)}`,
      text: `${p.symbol} on ${p.exchange}: the ${p.side} position of ${p.qty} has no stop loss`,
    })),
    ...(known.orders ?? []).filter(({status}) => status === "unknown").map((o): Need => ({
      id: o.orderId, kind: "unknown", href: pathOfOrder(o.orderId), since: o.updatedAt, text: `${o.side} ${o.qty} ${o.symbol} on ${o.exchange}: the outcome is not known`,
    })),
    ...(known.accounts ?? []).flatMap((a): Need[] => [
      ...(a.lock ? [{id: `lock ${a.id}`, kind: "alarm" as const, href: "/positions", text: `${a.exchange}: locked until ${a.lock.until} by ${plain(a.lock.limit)}, ${a.lock.actual} of ${a.lock.threshold}; only reducing orders are accepted`}] : []),
      ...(a.halted ? [{id: `halt ${a.id}`, kind: "alarm" as const, href: "/positions", text: `${a.exchange}: halted; only reducing orders are accepted`}] : []),
    ]),
    ...(known.venues ?? []).filter((v) => v.connected && v.status !== "up").map((v): Need => ({
      id: `venue ${v.exchange}`, kind: v.status === "degraded" ? "warning" : "alarm", href: "/positions", since: v.since, text: `${v.exchange}: ${v.status}${v.reason ? `, ${v.reason}` : ""}`,
    })),
    ...(known.endpoints ?? []).filter(({disabled}) => disabled !== "").map((e): Need => ({
      id: `disabled ${e.id}`, kind: "warning", href: `/endpoints/${e.id}`, text: `${nameOf(e)}: disabled, ${e.disabled}`,
    })),
    ...(known.endpoints ?? []).filter(({id}) => known.undelivered?.[id]).map((e): Need => ({
      id: `undelivered ${e.id}`, kind: "warning", href: `/deliveries?endpoint=${e.id}&status=undelivered`, text: `${nameOf(e)}: ${known.undelivered?.[e.id]} undelivered`,
    })),
    ...(known.keys ?? []).filter((k) => !k.revokedAt && k.expiresAt && endsSoon(k.expiresAt, now)).map((k): Need => ({
      id: k.id, kind: "warning", href: "/keys", text: `The key ${k.name} ends at ${k.expiresAt}`,
    })),
  ];
}

function endsSoon(at: string, now: Date): boolean {
  const left = new Date(at).getTime() - now.getTime();
  return left > 0 && left < SOON_MILLISECONDS;
}
