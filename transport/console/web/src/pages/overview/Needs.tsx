import {Link} from "wouter";
import orders from "../../orders/Orders.module.css";
import {Time} from "../../ui/Time";
import panel from "../../ui/Panel.module.css";
import styles from "./Overview.module.css";
import type {Need} from "./attention";

const marks = {alarm: "▲", unknown: "◆", warning: "⚠"} as const;

/** Needs lists what needs somebody. */
export function Needs({needs}: {needs: readonly Need[]}) {
  return (
    <section className={panel.panel} aria-label="Needs you">
      <header className={panel.head}><h2>Needs you</h2></header>
      {needs.length === 0 ? <div className={panel.empty}>Nothing needs you.</div>
        : <ul className={styles.needs}>{needs.map((need) => (
          <li key={need.id}><span className={styles[need.kind]} aria-hidden>{marks[need.kind]}</span>
            <p className="outside">{need.text}{need.since && <span className="dim"> since <Time at={need.since}/></span>}</p>
            <Link className={orders.link ?? ""} href={need.href} aria-label={`Look at: ${need.text}`}>Look</Link></li>))}</ul>}
    </section>
  );
}
