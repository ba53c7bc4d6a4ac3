import type {ReactNode} from "react";
import styles from "./Operator.module.css";

/** Figures are the first numbers of a page, each with its name and, in small, what it means. */
export function Figures({of}: {of: readonly (readonly [name: string, value: ReactNode, note?: ReactNode])[]}) {
  return (
    <dl className={styles.figures}>{of.map(([name, value, note]) => (
      <div key={name}><dt>{name}</dt><dd>{value}{note !== undefined && <small>{note}</small>}</dd></div>
    ))}</dl>
  );
}
