import type {ReactNode} from "react";
import type {Overview} from "../../api/types";
import {Amount} from "../../ui/Amount";
import {Meter} from "../../ui/Meter";
import {State, type Tone} from "../../ui/State";
import {Time} from "../../ui/Time";
import styles from "./Overview.module.css";

type Venue = Overview["venues"][number];
type Account = NonNullable<Venue["account"]>;

const looks: Readonly<Record<Venue["status"], {readonly mark: string; readonly tone: Tone}>> = {
  up: {mark: "●", tone: "good"}, degraded: {mark: "◐", tone: "warning"},
  maintenance: {mark: "○", tone: "bad"}, down: {mark: "○", tone: "bad"},
};

/** Venues shows the state of each venue and what is held there. One that does not answer has its last figures, hatched. */
export function Venues({venues}: {venues: readonly Venue[]}) {
  return <div className={styles.venues}>{venues.map((venue) => <Card key={venue.exchange} venue={venue}/>)}</div>;
}

function Card({venue}: {venue: Venue}) {
  return (
    <section className={`${styles.venue} ${venue.account?.error ? styles.absent : ""}`} aria-label={venue.exchange}>
      <h2>{venue.exchange}<span className={styles.state}><State {...looks[venue.status] ?? {mark: "?", tone: "bad"}}>{venue.status}</State></span></h2>
      {venue.reason !== null && <p className="dim outside">{venue.reason}, since <Time at={venue.since}/></p>}
      {venue.account === null ? <p className="dim">Not connected.</p> : <Figures account={venue.account}/>}
      <Line name="Clock">{venue.clockOffsetMs === null ? "not compared" : <span className="mono">{venue.clockOffsetMs > 0 && "+"}{venue.clockOffsetMs} ms</span>}</Line>
    </section>
  );
}

function Figures({account}: {account: Account}) {
  return (
    <>
      {account.error && <p className={styles.late}>{account.asOf ? <>Does not answer. As of <Time at={account.asOf} relative/></> : "Does not answer."}</p>}
      {account.balances?.length === 0 && <p className="dim">No balance.</p>}
      {account.balances?.map((one) => (
        <div key={one.currency}>
          <Line name="Equity"><Amount value={one.equity} unit={one.currency}/></Line>
          <Line name="Available"><Amount value={one.available} unit={one.currency}/></Line>
          <Line name="Unrealized"><Amount value={one.unrealizedPnl} gain unit={one.currency}/></Line>
        </div>))}
      {account.day && <Line name="Realized today"><Amount value={account.day.realized} gain/></Line>}
      {account.day?.limit && <Line name="Loss of the day"><Meter name={`Loss of the day, ${account.id}`} value={account.day.loss} most={account.day.limit}/></Line>}
    </>
  );
}

function Line({name, children}: {name: string; children: ReactNode}) {
  return <div className={styles.line}><span className="dim">{name}</span><span>{children}</span></div>;
}
