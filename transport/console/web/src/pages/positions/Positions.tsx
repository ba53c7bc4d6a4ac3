import {Button, Group} from "@mantine/core";
import {useRef} from "react";
import {Link} from "wouter";
import {query, trading} from "../../api/trading";
import type {Position, VenueItems} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {mayTrade, useSession} from "../../app/session";
import styles from "../../orders/Orders.module.css";
import {Direction} from "../../orders/Side";
import {usePositionActs} from "../../positions/act";
import {positionId} from "../../positions/words";
import {EXCHANGE, Filters, SYMBOL, useFilters} from "../../ui/Filters";
import {Missing} from "../../ui/Missing";
import {Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {useRowKeys} from "../../ui/rows";

const filters = [EXCHANGE, SYMBOL];

/** Positions lists the open positions as the venues have them, each with its protection. */
export default function Positions() {
  const trader = mayTrade(useSession());
  const chosen = useFilters(filters);
  const positions = useReading(["v1", "positions", chosen], () => trading<VenueItems<Position>>("GET", `positions${query(chosen)}`), FAST_MILLISECONDS);
  const {close, protect, leverage, dialogs} = usePositionActs();
  const list = useRef<HTMLDivElement>(null);
  useRowKeys(list, positions.data?.items ?? [], positionId, trader ? {x: close} : {});
  const acts: Column<Position> = {title: "Actions", acts: true, cell: (position) => {
    const name = `${position.symbol} on ${position.exchange}`;
    return (
      <Group gap={6} wrap="nowrap" justify="flex-end">
        <Button size="xs" variant="default" onClick={() => protect(position)} aria-label={`Protect ${name}`}>Protect</Button>
        <Button size="xs" variant="default" onClick={() => leverage({exchange: position.exchange, symbol: position.symbol, position})} aria-label={`Change the leverage of ${name}`}>Leverage</Button>
        <Button size="xs" variant="default" onClick={() => close(position)} aria-label={`Close ${name}`}>Close</Button>
      </Group>
    );
  }};
  return (
    <>
      <h1>Positions</h1>
      <Filters filters={filters}/>
      <div ref={list}><Panel title="Open positions" query={positions} empty={{
        when: ({items, errors}) => items.length === 0 && !errors, text: Object.keys(chosen).length > 0 ? "No position matches these filters." : "No open position.",
      }}>
        {({items, errors}) => <><Missing errors={errors} what="positions"/>
          <Table dense caption="Open positions" rows={items} id={positionId} columns={trader ? [...columns, acts] : columns}/></>}
      </Panel></div>
      {dialogs}
    </>
  );
}

const columns: readonly Column<Position>[] = [
  {title: "Instrument", cell: (p) => <><Link className={styles.link ?? ""} data-row={positionId(p)} href={`/orders?exchange=${p.exchange}&symbol=${encodeURIComponent(p.symbol)}&status=all`}>{p.symbol}</Link> <span className="dim">{p.exchange}</span></>},
  {title: "Side", cell: (p) => <Direction side={p.side}/>},
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
