import type {Order} from "../api/types";
import styles from "./Orders.module.css";
import {UNKNOWN_TEXT, plain} from "./words";

const looks: Record<Order["status"], {readonly shape: string; readonly look: string | undefined}> = {
  pending: {shape: "⧗", look: styles.working},
  untriggered: {shape: "◇", look: styles.working},
  open: {shape: "○", look: styles.working},
  partially_filled: {shape: "◐", look: styles.working},
  unknown: {shape: "◆", look: styles.unknown},
  filled: {shape: "●", look: styles.done},
  cancelled: {shape: "×", look: styles.past},
  rejected: {shape: "▲", look: styles.failed},
  expired: {shape: "×", look: styles.past},
  replaced: {shape: "→", look: styles.past},
};

/** Status shows the status of an order by word and shape. */
export function Status({order}: {order: Order}) {
  const {shape, look} = looks[order.status] ?? {shape: "?", look: styles.past};
  return (
    <span className={`${styles.status} ${look}`} title={order.status === "unknown" ? UNKNOWN_TEXT : undefined}>
      <span aria-hidden>{shape}</span>{plain(order.status)}
      {order.pendingAction && <span className="dim">· {order.pendingAction} requested</span>}
    </span>
  );
}

/** Side shows buy and sell by word and colour. */
export function Side({side}: {side: Order["side"]}) {
  return <span className={side === "buy" ? styles.buy : styles.sell}>{side}</span>;
}
