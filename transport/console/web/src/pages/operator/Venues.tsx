import {call} from "../../api/client";
import type {Items, VenueState} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {visible} from "../../ui/outside";
import {Failure, Waiting} from "../../ui/Panel";
import {State, type Tone} from "../../ui/State";
import {Time, ago} from "../../ui/Time";
import styles from "./Operator.module.css";
import {count, percent} from "./words";

/** Venues shows the connection to each venue: its health, and how much of the limits is used. */
export default function Venues() {
  const venues = useReading(["venues"], () => call<Items<VenueState>>("GET", "venues"), FAST_MILLISECONDS);
  return (
    <>
      <h1>Venues</h1>
      {venues.error && <Failure error={venues.error} retry={() => void venues.refetch()} stale={venues.data !== undefined}/>}
      {!venues.data && !venues.error && <Waiting/>}
      {venues.data && <div className={styles.cards}>{venues.data.items.map((venue) => <Card key={venue.exchange} venue={venue}/>)}</div>}
    </>
  );
}

const looks: Readonly<Record<VenueState["status"], {readonly mark: string; readonly tone: Tone}>> = {
  up: {mark: "●", tone: "good"}, degraded: {mark: "◐", tone: "warning"}, down: {mark: "○", tone: "bad"},
};

function Card({venue}: {venue: VenueState}) {
  return (
    <section className={styles.card} aria-label={venue.exchange}>
      <h2>{venue.exchange}<small>{venue.environment} · orders by {venue.orderEntry === "websocket" ? "WebSocket" : "REST"}</small>
        <span><State {...looks[venue.status] ?? {mark: "?", tone: "bad"}}>{venue.status}</State></span></h2>
      {venue.reason !== null && <p className={`${styles.reason} ${styles.warning} outside`}>{visible(venue.reason)}</p>}
      <dl className={styles.lines}>
        <div><dt>{venue.status} since</dt><dd><Time at={venue.since} relative/></dd></div>
        <div><dt>Clock</dt><dd>{venue.clockAt ? <span className="mono">{signed(venue.clockOffsetMs)} ms</span> : "not compared"}</dd></div>
        <div><dt>Market data</dt><dd><Connected of={venue.public}/></dd></div>
        <div><dt>Private streams</dt><dd><Connected of={venue.private}/></dd></div>
        <div><dt>Interruptions</dt><dd>{count(venue.interruptions)}</dd></div>
        <div><dt>Books</dt><dd>{count(venue.books)}</dd></div>
        <div><dt>Instruments</dt><dd>{count(venue.instruments)}{venue.instrumentsAt && <span className="dim">, read {ago(new Date(venue.instrumentsAt), new Date())}</span>}</dd></div>
      </dl>
      <Limits venue={venue}/>
      {venue.lastError !== null && <><h3>Newest error, <Time at={venue.lastErrorAt} relative/></h3><p className={`${styles.text} outside`}>{visible(venue.lastError)}</p></>}
    </section>
  );
}

function signed(milliseconds: number): string {
  return `${milliseconds > 0 ? "+" : milliseconds < 0 ? "−" : ""}${Math.abs(milliseconds)}`;
}

function Connected({of: {wanted, connected}}: {of: VenueState["public"]}) {
  return <span className={connected < wanted ? styles.warning : undefined}>{count(connected)} of {count(wanted)}</span>;
}

type RateLimit = VenueState["limits"][number];

const HIGH = 0.65; // from here on reads that nobody waits for are held back
const FULL = 0.95;

function shareOf({used, limit}: RateLimit): number {
  return limit > 0 ? Math.min(1, used / limit) : 0;
}

// isOfOneCall reports whether a limit is that of one path of the venue: some have dozens of them.
function isOfOneCall({name}: RateLimit): boolean {
  return name.startsWith("/");
}

function Limits({venue: {limits, waiting, frozenUntil}}: {venue: VenueState}) {
  const first = limits.filter((limit) => !isOfOneCall(limit) || limit.frozenUntil);
  const rest = limits.filter((limit) => !first.includes(limit));
  const [most] = rest.toSorted((a, b) => shareOf(b) - shareOf(a));
  return (
    <>
      <h3>Request limits</h3>
      {frozenUntil && <p className={`${styles.text} ${styles.bad}`} role="status">The venue has stopped all requests until <Time at={frozenUntil} relative/></p>}
      <ul className={styles.limits}>{first.map((limit) => <Limit key={limit.name} of={limit}/>)}</ul>
      {most && <details className={styles.rest}>
        <summary>{count(rest.length)} limits of single calls, at most {percent(shareOf(most))} used</summary>
        <ul className={styles.limits}>{rest.map((limit) => <Limit key={limit.name} of={limit}/>)}</ul>
      </details>}
      {waiting.length > 0 && <><h3>Requests that wait for a limit</h3>
        <ul className={styles.chips}>{waiting.map(({priority, requests}) => <li key={priority}>{priority} {count(requests)}</li>)}</ul></>}
    </>
  );
}

function Limit({of}: {of: RateLimit}) {
  const {name, used, limit, frozenUntil} = of;
  const share = shareOf(of);
  const look = frozenUntil || share >= FULL ? styles.full : share >= HIGH ? styles.high : undefined;
  return (
    <li>
      <div><span>{name.replaceAll("_", " ")}</span><span className="mono">{count(used)} / {count(limit)}</span></div>
      <div className={styles.bar} role="meter" aria-label={name.replaceAll("_", " ")} aria-valuemin={0} aria-valuemax={limit} aria-valuenow={Math.min(used, limit)} aria-valuetext={`${used} of ${limit}`}>
        <i className={look} style={{width: `${share * 100}%`}}/>
      </div>
      {frozenUntil && <p className={styles.bad}>Only cancels until <Time at={frozenUntil} relative/></p>}
    </li>
  );
}
