import type {UseQueryResult} from "@tanstack/react-query";
import type {ReactNode} from "react";
import type {Balance, Items, Venue, VenueAccount, VenueItems} from "../../api/types";
import {Amount} from "../../ui/Amount";
import {Failure} from "../../ui/Panel";
import {State, type Tone} from "../../ui/State";
import {Time} from "../../ui/Time";
import styles from "./Overview.module.css";

interface Props {
  readonly venues: UseQueryResult<Items<Venue>>;
  readonly balances: VenueItems<Balance> | undefined;
  readonly accounts: readonly VenueAccount[] | undefined;
}

const looks: Readonly<Record<Venue["status"], {readonly mark: string; readonly tone: Tone}>> = {
  up: {mark: "●", tone: "good"}, degraded: {mark: "◐", tone: "warning"},
  maintenance: {mark: "○", tone: "bad"}, down: {mark: "○", tone: "bad"},
};

/** Venues shows the state of each venue and what is held there. */
export function Venues({venues, balances, accounts}: Props) {
  return (
    <>
      {venues.error && <Failure error={venues.error} retry={() => void venues.refetch()} stale={venues.data !== undefined}/>}
      {venues.data && <div className={styles.venues}>{venues.data.items.map((venue) => (
        <Card key={venue.exchange} venue={venue} balances={balances} limit={accounts?.find(({exchange}) => exchange === venue.exchange)?.limits.dailyLoss}/>))}</div>}
    </>
  );
}

function Card({venue, balances, limit}: {venue: Venue; balances: Props["balances"]; limit: string | null | undefined}) {
  const missing = balances?.errors?.some(({exchange}) => exchange === venue.exchange);
  return (
    <section className={`${styles.venue} ${missing ? styles.absent : ""}`} aria-label={venue.exchange}>
      <h2>{venue.exchange}<span className={styles.state}><State {...looks[venue.status] ?? {mark: "?", tone: "bad"}}>{venue.status}</State></span></h2>
      {venue.reason !== null && <p className="dim outside">{venue.reason}, since <Time at={venue.since}/></p>}
      {!venue.connected && <p className="dim">Not connected.</p>}
      {balances?.items.filter(({exchange}) => exchange === venue.exchange).map((one) => (
        <div key={one.currency}>
          <Line name="Equity"><Amount value={one.equity} unit={one.currency}/></Line>
          <Line name="Available"><Amount value={one.available} unit={one.currency}/></Line>
          <Line name="Unrealized"><Amount value={one.unrealizedPnl} gain unit={one.currency}/></Line>
        </div>))}
      {limit && <Line name="Daily loss limit"><Amount value={limit}/></Line>}
      <Line name="Clock">{venue.clockOffsetMs === null ? "not compared" : <span className="mono">{venue.clockOffsetMs > 0 && "+"}{venue.clockOffsetMs} ms</span>}</Line>
    </section>
  );
}

function Line({name, children}: {name: string; children: ReactNode}) {
  return <div className={styles.line}><span className="dim">{name}</span><span>{children}</span></div>;
}
