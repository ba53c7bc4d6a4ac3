import {Link, useLocation} from "wouter";
import orders from "../../orders/Orders.module.css";
import {Time} from "../../ui/Time";
import {useShortcuts} from "../../ui/shortcuts";
import panel from "../../ui/Panel.module.css";
import styles from "./Overview.module.css";
import type {Need} from "./attention";

// The first ones have the keys 1 to 9.
const KEYS_MOST = 9;

const marks = {alarm: "▲", unknown: "◆", warning: "⚠"} as const;

/** Needs lists what needs somebody. */
export function Needs({needs}: {needs: readonly Need[]}) {
  const [, navigate] = useLocation();
  useShortcuts(Object.fromEntries(needs.slice(0, KEYS_MOST).map(({href}, at) => [`${at + 1}`, () => navigate(href)])));
  return (
    <section className={panel.panel} aria-label="Needs you">
      <header className={panel.head}><h2>Needs you</h2></header>
      {needs.length === 0 ? <div className={panel.empty}>Nothing needs you.</div>
        : <ol className={styles.needs}>{needs.map((need, at) => (
          <li key={need.id}><span className={styles[need.kind]} aria-hidden>{marks[need.kind]}</span>
            <p className="outside">{need.text}{need.since && <span className="dim"> since <Time at={need.since}/></span>}{need.due && <span className="dim"> {need.due[0]} <Time at={need.due[1]} relative/></span>}</p>
            <Link className={orders.link ?? ""} href={need.href} aria-keyshortcuts={at < KEYS_MOST ? `${at + 1}` : undefined} aria-label={`Look at: ${need.text}`}>Look</Link></li>))}</ol>}
    </section>
  );
}
