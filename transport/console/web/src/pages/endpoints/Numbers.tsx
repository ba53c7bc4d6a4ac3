import {useQuery} from "@tanstack/react-query";
import {Link} from "wouter";
import {call} from "../../api/client";
import type {EndpointStats} from "../../api/types";
import {pollWhileVisible} from "../../app/session";
import {WAITING_MAX, duration, soon} from "../../outbound/words";
import {Panel} from "../../ui/Panel";
import {local} from "../../ui/Time";
import styles from "./Endpoints.module.css";

const POLL_MILLISECONDS = 5_000;

/** Numbers shows what became of the events of the last 24 hours. */
export function Numbers({id}: {id: string}) {
  const stats = useQuery({queryKey: ["endpoint stats", id], queryFn: () => call<EndpointStats>("GET", `endpoints/${id}/stats`), refetchInterval: () => pollWhileVisible() && POLL_MILLISECONDS});
  return (
    <Panel title="Last 24 hours" query={stats} actions={<Link href={`/deliveries?endpoint=${id}`}>All deliveries</Link>}>
      {(data) => <><Figures stats={data} id={id}/><Bars stats={data}/></>}
    </Panel>
  );
}

function Figures({stats, id}: {stats: EndpointStats; id: string}) {
  return (
    <dl className={styles.figures}>
      <div><dt>Delivered</dt><dd>{share(stats)}<small>{stats.delivered} of {stats.delivered + stats.undelivered}{!stats.complete && ", the newest"}</small></dd></div>
      <div><dt>Undelivered</dt><dd>{stats.undelivered > 0
        ? <Link className={styles.undelivered ?? ""} href={`/deliveries?endpoint=${id}&status=undelivered&from=${stats.since}`}>{stats.undelivered}</Link> : 0}</dd></div>
      <div><dt>Waiting</dt><dd>{stats.waiting >= WAITING_MAX ? `${WAITING_MAX}+` : stats.waiting}{stats.oldestDueAt && <small>first due <time dateTime={stats.oldestDueAt}>{soon(stats.oldestDueAt, new Date())}</time></small>}</dd></div>
      <div><dt>Answers within</dt><dd>{stats.p50Ms === null ? "–" : duration(stats.p50Ms)}<small>half of them</small></dd></div>
      <div><dt>Answers within</dt><dd>{stats.p95Ms === null ? "–" : duration(stats.p95Ms)}<small>95 of 100</small></dd></div>
    </dl>
  );
}

// share returns how many of the events that are settled were delivered. It is 100 % only if all were.
function share({delivered, undelivered}: EndpointStats): string {
  const settled = delivered + undelivered;
  return settled === 0 ? "–" : `${(Math.floor(delivered * 1000 / settled) / 10).toFixed(delivered === settled ? 0 : 1)} %`;
}

function Bars({stats: {hours}}: {stats: EndpointStats}) {
  const most = Math.max(1, ...hours.map((hour) => hour.delivered + hour.undelivered + hour.pending));
  const height = (count: number) => ({height: `${(count / most) * 100}%`});
  return (
    <>
      <ul className={styles.bars}>{hours.map(({at, delivered, undelivered, pending}) => {
        const text = `${local(new Date(at)).slice(11, 16)}: ${delivered} delivered, ${undelivered} undelivered, ${pending} waiting`;
        return (
          <li key={at} title={text} aria-label={text}>
            {undelivered > 0 && <i className={styles.bad} style={height(undelivered)}/>}
            {pending > 0 && <i className={styles.wait} style={height(pending)}/>}
            {delivered > 0 && <i className={styles.good} style={height(delivered)}/>}
          </li>
        );
      })}</ul>
      <div className={styles.scale} aria-hidden><span>{local(new Date(hours[0]?.at ?? "")).slice(11, 16)}</span><span>by hour, most {most}</span><span>now</span></div>
    </>
  );
}
