import {Link} from "wouter";
import {call} from "../../api/client";
import {query, trading} from "../../api/trading";
import type {Balance, Delivery, Endpoint, Fill, Items, Key, Order, Page, Position, Signal, Venue, VenueAccount, VenueItems} from "../../api/types";
import {pathOfSignal} from "../../app/paths";
import {FAST_MILLISECONDS, SLOW_MILLISECONDS, useReading} from "../../app/reading";
import styles from "../../orders/Orders.module.css";
import {Missing} from "../../ui/Missing";
import {Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import {Status} from "../signals/Status";
import {termsOf} from "../signals/history";
import {Needs} from "./Needs";
import own from "./Overview.module.css";
import {Sums} from "./Sums";
import {Venues} from "./Venues";
import {needsOf} from "./attention";

const MOST_ROWS = "500";
const MOST_UNDELIVERED = "100";

/** Overview is the first page: what needs somebody, balances, venues, positions and the last signals. */
export default function Overview() {
  const balances = useReading(["v1", "account"], () => trading<VenueItems<Balance>>("GET", "account"), FAST_MILLISECONDS);
  const positions = useReading(["v1", "positions", {}], () => trading<VenueItems<Position>>("GET", "positions"), FAST_MILLISECONDS);
  const orders = useReading(["v1", "open orders"], () => trading<Page<Order>>("GET", `orders${query({status: "open", limit: MOST_ROWS})}`), FAST_MILLISECONDS);
  const venues = useReading(["v1", "venues"], () => trading<Items<Venue>>("GET", "venues"), FAST_MILLISECONDS);
  const today = useReading(["v1", "fills of today"], () => trading<Page<Fill>>("GET", `fills${query({from: new Date().toISOString().slice(0, 10), limit: MOST_ROWS})}`), SLOW_MILLISECONDS);
  const accounts = useReading(["accounts"], () => call<Items<VenueAccount>>("GET", "accounts"), SLOW_MILLISECONDS);
  const endpoints = useReading(["endpoints"], () => call<Items<Endpoint>>("GET", "endpoints"), SLOW_MILLISECONDS);
  const undelivered = useReading(["undelivered", endpoints.data?.items.map(({id}) => id)], () => readUndelivered(endpoints.data?.items ?? []), SLOW_MILLISECONDS);
  const keys = useReading(["keys"], () => call<Items<Key>>("GET", "keys"), SLOW_MILLISECONDS);
  const signals = useReading(["last signals"], () => call<Page<Signal>>("GET", "signals?limit=8"), SLOW_MILLISECONDS);
  const failed = [positions, orders, venues, accounts, endpoints, undelivered, keys].find(({error}) => error);
  const needs = needsOf({
    positions: positions.data?.items, orders: orders.data?.items, venues: venues.data?.items, accounts: accounts.data?.items,
    endpoints: endpoints.data?.items, undelivered: undelivered.data, keys: keys.data?.items,
  }, new Date(Math.max(keys.dataUpdatedAt, venues.dataUpdatedAt)));
  const read = [positions, orders, venues, accounts, endpoints, keys].every(({data}) => data !== undefined);
  return (
    <>
      <h1>Overview</h1>
      <Sums balances={balances} today={today}/>
      <Needs needs={needs} read={read} failed={failed}/>
      <Venues venues={venues} balances={balances.data} accounts={accounts.data?.items}/>
      <div className={own.pair}>
        <Panel title="Positions" query={positions} actions={<Link className={styles.link ?? ""} href="/positions">All</Link>}
          empty={{when: ({items, errors}) => items.length === 0 && !errors, text: "No open position."}}>
          {({items, errors}) => <><Missing errors={errors} what="positions"/>
            <Table dense caption="Positions" rows={items} id={(p) => `${p.exchange} ${p.symbol} ${p.side}`} columns={positionColumns}/></>}
        </Panel>
        <Panel title="Last signals" query={signals} actions={<Link className={styles.link ?? ""} href="/signals">All</Link>}
          empty={{when: ({items}) => items.length === 0, text: "No signal yet. Channels receive them from scripts and charting platforms."}}>
          {({items}) => <Table dense caption="Last signals" rows={items} id={(signal) => signal.id} columns={signalColumns}/>}
        </Panel>
      </div>
    </>
  );
}

// The number of undelivered events of each endpoint that has some.
async function readUndelivered(endpoints: readonly Endpoint[]): Promise<Record<string, string>> {
  const counts = await Promise.all(endpoints.map(async ({id}) => {
    const {items, nextCursor} = await call<Page<Delivery>>("GET", `endpoints/${id}/deliveries${query({status: "undelivered", limit: MOST_UNDELIVERED})}`);
    return [id, `${items.length}${nextCursor === null ? "" : "+"}`] as const;
  }));
  return Object.fromEntries(counts.filter(([, count]) => !count.startsWith("0")));
}

const positionColumns: readonly Column<Position>[] = [
  {title: "Instrument", cell: (p) => <><strong>{p.symbol}</strong> <span className="dim">{p.exchange}</span></>},
  {title: "Side", cell: (p) => <span className={p.side === "long" ? styles.buy : styles.sell}>{p.side}</span>},
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
