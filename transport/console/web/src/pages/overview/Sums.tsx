import type {Overview} from "../../api/types";
import {Amount} from "../../ui/Amount";
import {Meter} from "../../ui/Meter";
import styles from "./Overview.module.css";

/** Sums shows what the venues hold together, for each currency, and the day. What a venue that does not answer has is in none of them. */
export function Sums({all}: {all: Overview}) {
  const {sums, today, without} = all;
  return (
    <section className={styles.panel} aria-label="Balances">
      {sums.map(({currency, equity, available, unrealizedPnl}) => (
        <dl key={currency} className={styles.sums}>
          <div><dt>Equity, {currency}</dt><dd><Amount value={equity}/></dd></div>
          <div><dt>Available, {currency}</dt><dd><Amount value={available}/></dd></div>
          <div><dt>Unrealized, {currency}</dt><dd><Amount value={unrealizedPnl} gain/></dd></div>
        </dl>))}
      {without.length > 0 && <p className={styles.without} role="status">Without {without.join(", ")}.</p>}
      <dl className={`${styles.sums} ${styles.day}`}>
        <div><dt>Realized today (UTC)</dt><dd><Amount value={today.realized} gain/></dd></div>
        <div><dt>Fees today</dt><dd><Amount value={today.fees}/></dd></div>
        <div><dt>Daily loss limit</dt><dd>{today.limit === null ? <span className="dim">none</span> : <Meter name="Loss of the day" value={today.loss} most={today.limit}/>}</dd></div>
        <div><dt>Open orders</dt><dd className="mono">{all.counts.openOrders}</dd></div>
      </dl>
      {today.without.length > 0 && <p className={styles.without} role="status">The day is without {today.without.join(", ")}.</p>}
      {all.counts.ordersWithout.length > 0 && <p className={styles.without} role="status">The orders are without {all.counts.ordersWithout.join(", ")}.</p>}
    </section>
  );
}
