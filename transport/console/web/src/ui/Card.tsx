import type {ReactNode} from "react";
import styles from "./Card.module.css";

/** Card is a page with one form and nothing else, before somebody is signed in. */
export function Card({title, children}: {title: string; children: ReactNode}) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.name}>venuegate</div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
