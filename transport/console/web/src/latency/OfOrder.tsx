import {useQuery} from "@tanstack/react-query";
import {call} from "../api/client";
import type {OrderLatency} from "../api/types";
import styles from "./Latency.module.css";
import {hopText, hopsOf, isOfVenue, logWidth, micros} from "./words";

/** OfOrder shows where an order spent its time, if that is still kept: it is of the newest orders only. */
export function OfOrder({id}: {id: string}) {
  const latency = useQuery({queryKey: ["latency", id], queryFn: () => call<OrderLatency>("GET", `latency/${encodeURIComponent(id)}`), retry: false, staleTime: Infinity}).data;
  if (!latency) return null;
  return (
    <section className={styles.order} aria-label="Latency">
      <h2>Latency <span className="dim">{micros(latency.totalUs)} in all</span></h2>
      <dl>{hopsOf(latency).map(({hop, microseconds}) => (
        <div key={hop}><dt>{hopText(hop)}</dt><dd className="mono">{micros(microseconds)}</dd>
          <dd aria-hidden className={`${styles.bar} ${isOfVenue(hop) ? styles.outside : ""}`}><b style={{width: `${logWidth(microseconds)}%`}}/></dd></div>))}</dl>
    </section>
  );
}
