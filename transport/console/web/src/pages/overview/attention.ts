// What needs somebody, the most urgent first.
import type {Overview} from "../../api/types";
import {pathOfOrder} from "../../app/paths";
import {plain} from "../../orders/words";

/** One thing to look at. */
export interface Need {
  readonly id: string;
  readonly kind: "alarm" | "unknown" | "warning";
  readonly text: string;
  /** From when on, where that is known. */
  readonly since?: string | null;
  /** Until when it lasts, or when it comes. */
  readonly due?: readonly ["until" | "at", string];
  /** The page where it can be mended. */
  readonly href: string;
}

/** needsOf returns what needs somebody. */
export function needsOf(all: Overview): Need[] {
  return [...ofPositions(all), ...ofOrders(all), ...ofAccounts(all), ...ofVenues(all), ...ofEndpoints(all), ...ofChannels(all), ...ofKeys(all)];
}

function ofPositions({positions, counts}: Overview): Need[] {
  const shown = positions.filter(({stopLoss}) => stopLoss === null);
  return [...shown.map((p): Need => ({
    id: `position ${p.exchange} ${p.symbol} ${p.side}`, kind: "alarm", href: `/positions?exchange=${p.exchange}&symbol=${encodeURIComponent(p.symbol)}`,
    text: `${p.symbol} on ${p.exchange}: the ${p.side} position of ${p.qty} has no stop loss`,
  })), ...others(counts.unprotected - shown.length, "positions without a stop loss", "alarm", "/positions")];
}

function ofOrders({unknown, counts}: Overview): Need[] {
  return [...unknown.map((o): Need => ({
    id: o.orderId, kind: "unknown", href: pathOfOrder(o.orderId), since: o.since, text: `${o.side} ${o.qty} ${o.symbol} on ${o.exchange}: the outcome is not known`,
  })), ...others(counts.unknown - unknown.length, "orders of unknown outcome", "unknown", "/orders")];
}

function ofAccounts({venues}: Overview): Need[] {
  return venues.flatMap(({exchange, account}): Need[] => account === null ? [] : [
    ...(account.lock ? [{
      id: `lock ${account.id}`, kind: "alarm" as const, href: "/risk",
      due: ["until", account.lock.until] as const, text: `${exchange}: locked by ${plain(account.lock.limit)}, ${account.lock.actual} of ${account.lock.threshold}; only reducing orders are accepted`,
    }] : []),
    ...(account.halted ? [{id: `halt ${account.id}`, kind: "alarm" as const, href: "/risk", text: `${exchange}: halted; only reducing orders are accepted`}] : []),
  ]);
}

// The account at a venue that is down is part of that.
function ofVenues({venues}: Overview): Need[] {
  const connected = venues.filter(({account}) => account !== null);
  return [
    ...connected.filter(({status}) => status !== "up").map((v): Need => ({
      id: `venue ${v.exchange}`, kind: v.status === "degraded" ? "warning" : "alarm", href: "/positions", since: v.since, text: `${v.exchange}: ${v.status}${v.reason ? `, ${v.reason}` : ""}`,
    })),
    ...connected.filter(({status, account}) => status === "up" && account?.error).map((v): Need => ({
      id: `account ${v.exchange}`, kind: "alarm", href: "/positions", since: v.account?.asOf ?? null, text: `${v.exchange}: the account does not answer, ${v.account?.error?.message ?? ""}`,
    })),
  ];
}

function ofEndpoints({endpoints}: Overview): Need[] {
  return endpoints.flatMap((e): Need[] => [
    ...(e.disabled === "" ? [] : [{id: `disabled ${e.id}`, kind: "warning" as const, href: `/endpoints/${e.id}`, text: `${e.name}: disabled, ${e.disabled}`}]),
    ...(e.undelivered === 0 ? [] : [{
      id: `undelivered ${e.id}`, kind: "warning" as const, href: `/deliveries?endpoint=${e.id}&status=undelivered`, since: e.oldestAt,
      text: `${e.name}: ${e.undelivered}${e.complete ? "" : " or more"} undelivered`,
    }]),
  ]);
}

function ofChannels({channels}: Overview): Need[] {
  return channels.map((c): Need => c.refused > 0
    ? {id: `refused ${c.id}`, kind: "warning", href: `/signals?channel=${c.id}`, text: `${c.name}: ${c.refused} of the last ${c.last} signals refused${c.reason ? ` (${plain(c.reason)})` : ""}`}
    : {id: `silent ${c.id}`, kind: "warning", href: `/channels/${c.id}`, since: c.silentSince, text: `${c.name}: no signal`});
}

function ofKeys({keys}: Overview): Need[] {
  return keys.map((k) => ({id: k.id, kind: "warning", href: "/keys", due: ["at", k.expiresAt], text: `The key ${k.name} ends`}));
}

function others(count: number, what: string, kind: Need["kind"], href: string): Need[] {
  return count > 0 ? [{id: `others ${what}`, kind, href, text: `${count} more ${what}`}] : [];
}
