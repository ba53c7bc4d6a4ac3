import type {ReactNode} from "react";
import {Link} from "wouter";
import type {HopLatency, LatencyReport, OrderLatency, VenueLatency} from "../api/types";
import {pathOfOrder} from "../app/paths";
import {Table, type Column} from "../ui/Table";
import {Time} from "../ui/Time";
import styles from "./Latency.module.css";
import {hopText, isOfVenue, logWidth, longest, micros} from "./words";

interface Props {
  readonly report: LatencyReport;
  /** Whether the user has the pages of orders. */
  readonly links: boolean;
}

/** Report shows where the newest orders spent their time, venue by venue. */
export function Report({report: {items}, links}: Props) {
  return <>{items.filter(({orders}) => orders > 0).map((venue) => <OfVenue key={venue.exchange} venue={venue} links={links}/>)}</>;
}

/** hasReport reports whether a report is about any order. */
export function hasReport({items}: LatencyReport): boolean {
  return items.some(({orders}) => orders > 0);
}

function OfVenue({venue: {exchange, orders, hops, slowest}, links}: {venue: VenueLatency; links: boolean}) {
  return (
    <section className={styles.venue} aria-label={`Orders on ${exchange}`}>
      <h3>{exchange} <span className="dim">{orders === 1 ? "1 order" : `the newest ${orders} orders`}</span></h3>
      <Table dense caption={`Hops of orders on ${exchange}`} rows={hops} id={({hop}) => hop} columns={hopColumns} faded={({orders}) => orders === 0}/>
      <h4>Slowest</h4>
      <Table dense caption={`Slowest orders on ${exchange}`} rows={slowest} id={({orderId}) => orderId} columns={slowestColumns(links)}/>
    </section>
  );
}

const time = (title: string, value: (hop: HopLatency) => number): Column<HopLatency> =>
  ({title, number: true, cell: (hop) => hop.orders === 0 ? "–" : micros(value(hop))});

const hopColumns: readonly Column<HopLatency>[] = [
  {title: "Until", cell: ({hop}) => hop === "total" ? <strong>{hopText(hop)}</strong> : hopText(hop)},
  time("p50", ({p50Us}) => p50Us), time("p90", ({p90Us}) => p90Us), time("p99", ({p99Us}) => p99Us), time("p99.9", ({p999Us}) => p999Us), time("Longest", ({maxUs}) => maxUs),
  {title: "10 µs to 10 s", cell: (hop) => <Bar hop={hop.hop} from={hop.p50Us} to={hop.p99Us}/>},
];

// Bar reaches from zero to the median, and in a lighter colour on to the 99th percentile. The numbers are beside it.
function Bar({hop, from, to}: {hop: string; from: number; to: number}): ReactNode {
  return (
    <div className={`${styles.bar} ${isOfVenue(hop) ? styles.outside : ""}`} aria-hidden>
      <i style={{width: `${logWidth(to)}%`}}/><b style={{width: `${logWidth(from)}%`}}/>
    </div>
  );
}

function slowestColumns(links: boolean): readonly Column<OrderLatency>[] {
  return [
    {title: "Order", cell: ({orderId}) => links ? <Link href={pathOfOrder(orderId)} className="mono">{orderId}</Link> : <span className="mono">{orderId}</span>},
    {title: "Received", cell: ({receivedAt}) => <Time at={receivedAt}/>},
    {title: "In all", number: true, cell: ({totalUs}) => micros(totalUs)},
    {title: "Most of it until", cell: (order) => {
      const most = longest(order);
      return most ? <>{hopText(most.hop)} <span className="dim mono">{micros(most.microseconds)}</span></> : "–";
    }},
  ];
}
