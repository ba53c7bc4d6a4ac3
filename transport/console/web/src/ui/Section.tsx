import type {ReactNode} from "react";
import styles from "./Panel.module.css";

/** Section is a panel whose content needs no reading. */
export function Section({title, children}: {title: string; children: ReactNode}) {
  return (
    <section className={styles.panel} aria-label={title}>
      <header className={styles.head}><h2>{title}</h2></header>
      <div className={styles.body}>{children}</div>
    </section>
  );
}
