import type {Order} from "../api/types";
import {Elapsed} from "../ui/Elapsed";
import {State, type Tone} from "../ui/State";
import {UNKNOWN_TEXT, plain} from "./words";

const looks: Record<Order["status"], {readonly mark: string; readonly tone: Tone}> = {
  pending: {mark: "⧗", tone: "working"},
  untriggered: {mark: "◇", tone: "working"},
  open: {mark: "○", tone: "working"},
  partially_filled: {mark: "◐", tone: "working"},
  unknown: {mark: "◆", tone: "unknown"},
  filled: {mark: "●", tone: "done"},
  cancelled: {mark: "×", tone: "plain"},
  rejected: {mark: "▲", tone: "bad"},
  expired: {mark: "×", tone: "plain"},
  replaced: {mark: "→", tone: "plain"},
};

/** Status shows the status of an order; of one that is unknown, for how long. */
export function Status({order}: {order: Order}) {
  return (
    <State {...looks[order.status] ?? {mark: "?", tone: "plain"}} title={order.status === "unknown" ? UNKNOWN_TEXT : undefined}>
      {plain(order.status)}{order.status === "unknown" && order.updatedAt !== null && <> <Elapsed since={order.updatedAt}/></>}{order.pendingAction && <span className="dim"> · {order.pendingAction} requested</span>}
    </State>
  );
}
