import type {Held, Trust} from "../../live/held";
import {useLiveStatus, useTrust} from "../../live/use";
import {clock} from "./clock";
import styles from "./Market.module.css";

/** TrustMark shows whether what a panel shows is current, and since when and why it is not. */
export function TrustMark({held, what}: {held: Held | undefined; what: string}) {
  const trust = useTrust(held);
  const {phase, retryAt} = useLiveStatus();
  if (phase === "waiting") return <Mark trust="stale" text={`not connected, next attempt at ${clock(new Date(retryAt ?? 0))}`}/>;
  return <Mark trust={trust?.state ?? "waiting"} text={textOf(trust, what)}/>;
}

function Mark({trust, text}: {trust: Trust["state"]; text: string}) {
  return <span className={styles.trust} data-state={trust}>{text}</span>;
}

function textOf(trust: Trust | undefined, what: string): string {
  if (!trust || trust.state === "waiting") return "waiting";
  if (trust.state === "live") return "live";
  return `${what} not current since ${clock(new Date(trust.since ?? 0))}: ${trust.why}`;
}
