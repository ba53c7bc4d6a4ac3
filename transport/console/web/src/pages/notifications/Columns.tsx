import styles from "./Notifications.module.css";
import {columns} from "./words";

/** Columns shows what a row of a closed trade has. */
export function Columns() {
  return <dl className={styles.columns} aria-label="Columns">{columns.map(({title, example}) => <div key={title}><dt>{title}</dt><dd className="mono">{example}</dd></div>)}</dl>;
}
