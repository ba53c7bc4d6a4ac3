import type {Order} from "../api/types";
import {State, type Tone} from "../ui/State";
import styles from "./Orders.module.css";
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

/** Status shows the status of an order. */
export function Status({order}: {order: Order}) {
  return (
    <State {...looks[order.status] ?? {mark: "?", tone: "plain"}} title={order.status === "unknown" ? UNKNOWN_TEXT : undefined}>
      {plain(order.status)}{order.pendingAction && <span className="dim"> · {order.pendingAction} requested</span>}
    </State>
  );
}

/** Side shows buy and sell by word and colour. */
export function Side({side}: {side: Order["side"]}) {
  return <span className={side === "buy" ? styles.buy : styles.sell}>{side}</span>;
}
