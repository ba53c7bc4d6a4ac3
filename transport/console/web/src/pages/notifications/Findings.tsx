import type {CheckResult} from "../../api/types";
import {visible} from "../../ui/outside";
import {State} from "../../ui/State";
import styles from "./Notifications.module.css";

/** Findings lists what an examination has found: what is there, and what is missing. */
export function Findings({items, names}: {items: readonly CheckResult[]; names: Readonly<Record<string, string>>}) {
  return (
    <div role="status" aria-label="What was found"><ul className={styles.findings}>{items.map(({check, status, text}) => (
      <li key={check}><State tone={status === "ok" ? "good" : "bad"}>{names[check] ?? check}</State><span className="outside">{visible(text)}</span></li>
    ))}</ul></div>
  );
}
