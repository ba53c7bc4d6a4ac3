import {Link} from "wouter";
import type {Overview} from "../../api/types";
import orders from "../../orders/Orders.module.css";
import panel from "../../ui/Panel.module.css";
import styles from "./Overview.module.css";

const steps = [
  {of: "venue", text: "Connect a venue", more: "An owner connects one with its API key.", href: "/accounts"},
  {of: "channel", text: "Make a channel", more: "It receives signals of a script or a charting platform.", href: "/channels"},
  {of: "signal", text: "Send a signal in test mode", more: "It takes the whole path, and nothing is sent to the venue.", href: "/channels"},
  {of: "endpoint", text: "Make an endpoint", more: "It receives events, such as executions.", href: "/endpoints"},
] as const;

/** isNew reports whether a customer has done nothing yet but first steps. */
export function isNew({steps: done, counts, lastSignals}: Overview): boolean {
  return steps.some(({of}) => !done[of]) && counts.openOrders === 0 && counts.positions === 0 && lastSignals.length === 0;
}

/** Steps lists the first steps, with those that are done. */
export function Steps({done}: {done: Overview["steps"]}) {
  return (
    <section className={panel.panel} aria-label="First steps">
      <header className={panel.head}><h2>First steps</h2></header>
      <ol className={styles.needs}>{steps.map(({of, text, more, href}) => (
        <li key={of}><span className={done[of] ? styles.done : "dim"}><span aria-hidden>{done[of] ? "✓" : "○"}</span></span>
          <p>{text} <span className="dim">{done[of] ? "Done." : more}</span></p>
          {!done[of] && <Link className={orders.link ?? ""} href={href} aria-label={`Begin: ${text}`}>Begin</Link>}</li>))}</ol>
    </section>
  );
}
