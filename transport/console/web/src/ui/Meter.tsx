import {compare, percent, signOf, type Decimal} from "../money/decimal";
import {ABSENT, shown} from "../money/format";
import styles from "./Meter.module.css";

interface Props {
  readonly name: string;
  /** Null if it is not known. Below zero the meter is empty. */
  readonly value: Decimal | null;
  readonly most: Decimal;
}

const NEARLY_PERCENT = "80";

/** Meter shows how much of a limit is used, in numbers and as a bar. */
export function Meter({name, value, most}: Props) {
  const used = value !== null && signOf(value) < 0 ? "0" : value;
  const width = used === null ? "0" : percent(used, most);
  const nearly = compare(width, NEARLY_PERCENT) >= 0;
  return (
    <span className={styles.meter} role="img" aria-label={`${name}: ${used === null ? "not known" : shown(used)} of ${shown(most)}`}>
      <svg className={nearly ? styles.nearly : styles.bar} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden>
        <rect className={styles.rest} width="100" height="6"/><rect width={width} height="6"/></svg>
      <span className={styles.text}>{used === null ? ABSENT : shown(used)} <span className="dim">of {shown(most)}</span></span>
    </span>
  );
}
