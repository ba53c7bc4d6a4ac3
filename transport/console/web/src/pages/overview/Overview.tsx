import {Link} from "wouter";
import {call} from "../../api/client";
import type {Overview as All, Signal} from "../../api/types";
import {pathOfSignal} from "../../app/paths";
import {useReading} from "../../app/reading";
import styles from "../../orders/Orders.module.css";
import {Direction} from "../../orders/Side";
import {Failure, Panel, Waiting} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import {Status} from "../signals/Status";
import {termsOf} from "../signals/history";
import {Needs} from "./Needs";
import own from "./Overview.module.css";
import {Steps, isNew} from "./Steps";
import {Sums} from "./Sums";
import {Venues} from "./Venues";
import {needsOf} from "./attention";

const READ_MILLISECONDS = 2_000;

type Position = All["positions"][number];

/** Overview is the first page: what needs somebody, balances, venues, positions and the last signals. All of it is one reading. */
export default function Overview() {
  const overview = useReading(["overview"], () => call<All>("GET", "overview"), READ_MILLISECONDS);
  const all = overview.data;
  return (
    <>
      <h1>Overview</h1>
      {overview.error && <Failure error={overview.error} retry={() => void overview.refetch()} stale={all !== undefined}/>}
      {!all && !overview.error && <Waiting/>}
      {all && <div className={`${own.page} ${overview.error ? own.stale : ""}`}>
        {isNew(all) && <Steps done={all.steps}/>}
        {all.steps.venue && <Sums all={all}/>}
        <Needs needs={needsOf(all)}/>
        <Venues venues={all.venues}/>
        <div className={own.pair}>
          <Panel title="Positions" query={overview} actions={<Link className={styles.link ?? ""} href="/positions">All {all.counts.positions}</Link>}
            empty={{when: ({positions}) => positions.length === 0, text: "No open position."}}>
            {({positions}) => <Table dense caption="Positions" rows={positions} id={(p) => `${p.exchange} ${p.symbol} ${p.side}`} faded={({stale}) => stale} columns={positionColumns}/>}
          </Panel>
          <Panel title="Last signals" query={overview} actions={<Link className={styles.link ?? ""} href="/signals">All</Link>}
            empty={{when: ({lastSignals}) => lastSignals.length === 0, text: "No signal yet. Channels receive them from scripts and charting platforms."}}>
            {({lastSignals}) => <Table dense caption="Last signals" rows={lastSignals} id={(signal) => signal.id} columns={signalColumns}/>}
          </Panel>
        </div>
      </div>}
    </>
  );
}

const positionColumns: readonly Column<Position>[] = [
  {title: "Instrument", cell: (p) => <><strong>{p.symbol}</strong> <span className="dim">{p.exchange}</span></>},
  {title: "Side", cell: (p) => <Direction side={p.side}/>},
  amounts("Quantity", (p) => p.qty),
  amounts("Entry", (p) => p.entryPrice),
  amounts("Mark", (p) => p.markPrice),
  amounts("Unrealized", (p) => p.unrealizedPnl, true),
];

const signalColumns: readonly Column<Signal>[] = [
  {title: "Received", cell: (signal) => <Time at={signal.receivedAt}/>},
  {title: "Signal", cell: (signal) => <Link className={`outside ${styles.link ?? ""}`} href={pathOfSignal(signal.id)}>{visible(termsOf(signal))}</Link>},
  {title: "Result", cell: (signal) => <Status status={signal.status} test={signal.test}/>},
];
