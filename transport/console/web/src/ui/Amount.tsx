import {signOf, type Decimal} from "../money/decimal";
import {padding, shown, signed} from "../money/format";
import styles from "./Amount.module.css";

interface Props {
  readonly value: Decimal | null | undefined;
  /** A gain or a loss: it has a sign, a direction and its colour. */
  readonly gain?: boolean;
  readonly unit?: string | null;
  /** The most digits after the point in the column, so that the points line up. */
  readonly decimals?: number;
}

/** Amount shows a decimal with every digit that it has, "–" if it is not known. */
export function Amount({value, gain, unit, decimals = 0}: Props) {
  const sign = gain && value ? signOf(value) : 0;
  const colour = sign > 0 ? styles.up : sign < 0 ? styles.down : "";
  return (
    <span className={`${styles.amount} ${colour}`} data-pad={padding(value, decimals)}>
      {sign !== 0 && <span className={styles.mark} aria-hidden>{sign > 0 ? "▲" : "▼"}</span>}
      {gain ? signed(value) : shown(value)}{unit && value ? <span className="dim"> {unit}</span> : null}
    </span>
  );
}
