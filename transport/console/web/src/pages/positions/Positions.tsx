import {Button} from "@mantine/core";
import {useState} from "react";
import {Link} from "wouter";
import {query, trading} from "../../api/trading";
import type {Position, VenueItems} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {mayTrade, useSession} from "../../app/session";
import styles from "../../orders/Orders.module.css";
import {EXCHANGE, Filters, SYMBOL, useFilters} from "../../ui/Filters";
import {Missing} from "../../ui/Missing";
import {Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {Close} from "./Close";

const filters = [EXCHANGE, SYMBOL];

/** Positions lists the open positions as the venues have them, each with its protection. */
export default function Positions() {
  const trader = mayTrade(useSession());
  const chosen = useFilters(filters);
  const positions = useReading(["v1", "positions", chosen], () => trading<VenueItems<Position>>("GET", `positions${query(chosen)}`), FAST_MILLISECONDS);
  const [closing, setClosing] = useState<Position>();
  const acts: Column<Position> = {title: "Actions", acts: true, cell: (position) => (
    <Button size="xs" variant="default" onClick={() => setClosing(position)} aria-label={`Close ${position.symbol} on ${position.exchange}`}>Close</Button>)};
  return (
    <>
      <h1>Positions</h1>
      <Filters filters={filters}/>
      <Panel title="Open positions" query={positions} empty={{
        when: ({items, errors}) => items.length === 0 && !errors, text: Object.keys(chosen).length > 0 ? "No position matches these filters." : "No open position.",
      }}>
        {({items, errors}) => <><Missing errors={errors} what="positions"/>
          <Table dense caption="Open positions" rows={items} id={positionId} columns={trader ? [...columns, acts] : columns}/></>}
      </Panel>
      <Close position={closing} close={() => setClosing(undefined)}/>
    </>
  );
}

function positionId({exchange, symbol, side}: Position): string {
  return `${exchange} ${symbol} ${side}`;
}

const columns: readonly Column<Position>[] = [
  {title: "Instrument", cell: (p) => <><Link className={styles.link ?? ""} href={`/orders?exchange=${p.exchange}&symbol=${encodeURIComponent(p.symbol)}&status=all`}>{p.symbol}</Link> <span className="dim">{p.exchange}</span></>},
  {title: "Side", cell: (p) => <span className={p.side === "long" ? styles.buy : styles.sell}>{p.side}</span>},
  amounts("Quantity", (p) => p.qty),
  amounts("Entry", (p) => p.entryPrice),
  amounts("Mark", (p) => p.markPrice),
  amounts("Liquidation", (p) => p.liquidationPrice),
  amounts("Unrealized", (p) => p.unrealizedPnl, true),
  amounts("Leverage", (p) => p.leverage),
  {title: "Protection", cell: (p) => <Protection position={p}/>},
  {title: "Opened", cell: (p) => <Time at={p.openedAt}/>},
];

function Protection({position: {stopLoss, takeProfit}}: {position: Position}) {
  if (stopLoss === null && takeProfit === null) return <span className={styles.warning}>unprotected</span>;
  return <>{stopLoss === null ? <span className={styles.warning}>no stop loss</span> : <>stop <span className="mono">{stopLoss}</span></>}{takeProfit !== null && <> · target <span className="mono">{takeProfit}</span></>}</>;
}
