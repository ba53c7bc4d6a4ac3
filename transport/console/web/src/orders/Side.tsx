import type {Order, Position} from "../api/types";
import styles from "./Orders.module.css";

/** Side shows buy and sell by word, shape and colour. */
export function Side({side}: {side: Order["side"]}) {
  return <span className={side === "buy" ? styles.buy : styles.sell}>{side}</span>;
}

/** Direction shows long and short by word, shape and colour. */
export function Direction({side}: {side: Position["side"]}) {
  return <span className={side === "long" ? styles.buy : styles.sell}>{side}</span>;
}
