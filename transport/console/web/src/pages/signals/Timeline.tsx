import {Anchor} from "@mantine/core";
import {Link} from "wouter";
import type {SignalHistory} from "../../api/types";
import {pathOfOrder} from "../../app/paths";
import {local} from "../../ui/Time";
import {State} from "../../ui/State";
import {visible} from "../../ui/outside";
import styles from "./Signals.module.css";
import {entriesOf, passed, type Entry} from "./history";

/** Timeline is everything that happened to a signal, oldest first, with the time between. */
export function Timeline({history}: {history: SignalHistory}) {
  const entries = entriesOf(history);
  return (
    <ol className={styles.timeline}>{entries.map((entry, at) => (
      <li key={entry.id} className={styles.entry} data-kind={entry.kind}>
        <time dateTime={entry.at} title={`${entry.at} (UTC)`} className={`mono ${styles.time ?? ""}`}>{clock(entry.at)}</time>
        <span className={`mono dim ${styles.gap ?? ""}`}>{at === 0 ? "" : passed(entries[at - 1]?.at ?? entry.at, entry.at)}</span>
        <What entry={entry}/>
      </li>))}
    </ol>
  );
}

function What({entry}: {entry: Entry}) {
  return (
    <div className={styles.what}>
      <div className={styles.line}>
        <span>{entry.title}</span>
        {entry.code && <span className="mono outside">{visible(entry.code)}</span>}
        {entry.order && <Anchor component={Link} href={pathOfOrder(entry.order)} className={`mono ${styles.id ?? ""}`}>{entry.order}</Anchor>}
        {entry.outcome && <span className={styles.outcome}><State tone={entry.tone}>{visible(entry.outcome)}</State></span>}
      </div>
      {entry.sentence && <p>{entry.sentence}</p>}
      {entry.facts.length > 0 && <Facts facts={entry.facts}/>}
    </div>
  );
}

/** Facts are names and values, each of them as it is. */
export function Facts({facts}: {facts: readonly {name: string; value: string}[]}) {
  return <dl className={styles.facts}>{facts.map(({name, value}) => <div key={name}><dt>{name}</dt><dd className="outside">{visible(value)}</dd></div>)}</dl>;
}

// clock returns the time of the day with milliseconds, in the zone of the browser.
function clock(at: string): string {
  return `${local(new Date(at)).slice(-8)}.${/\.(\d{3})/.exec(at)?.[1] ?? "000"}`;
}
