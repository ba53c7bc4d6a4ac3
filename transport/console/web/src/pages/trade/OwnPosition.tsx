import {Button, Group} from "@mantine/core";
import {useRef} from "react";
import type {Instrument, Position} from "../../api/types";
import {mayTrade, useSession} from "../../app/session";
import type {Records} from "../../live/records";
import orders from "../../orders/Orders.module.css";
import {Direction} from "../../orders/Side";
import type {usePositionActs} from "../../positions/act";
import {positionId} from "../../positions/words";
import {Amount} from "../../ui/Amount";
import {Table, amounts, type Column} from "../../ui/Table";
import {useRowKeys} from "../../ui/rows";
import styles from "./Market.module.css";

interface Props {
  readonly instrument: Instrument;
  readonly held: Records<Position> | undefined;
  readonly own: readonly Position[];
  readonly acts: Pick<ReturnType<typeof usePositionActs>, "close" | "protect">;
}

/** OwnPosition shows the customer's position in an instrument, and protects and closes it. */
export function OwnPosition({instrument, held, own, acts: {close, protect}}: Props) {
  const trades = mayTrade(useSession());
  const list = useRef<HTMLDivElement>(null);
  useRowKeys(list, own, positionId, trades ? {x: close} : {});
  const acts: Column<Position> = {title: "Actions", acts: true, cell: (position) => (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="compact-xs" variant="default" data-row={positionId(position)} aria-label={`Protect the ${position.side} position`} onClick={() => protect(position)}>Protect</Button>
      <Button size="compact-xs" variant="default" aria-label={`Close the ${position.side} position`} onClick={() => close(position)}>Close</Button>
    </Group>
  )};
  return (
    <section aria-label="Position">
      {own.length > 0
        ? <div ref={list} className={styles.rows}><Table dense caption={`Position in ${instrument.symbol}`} columns={trades ? [...columnsOf(instrument), acts] : columnsOf(instrument)} rows={own} id={(p) => p.side}/></div>
        : held?.trust.state === "live" && <p className={styles.none}>No position in {instrument.symbol}.</p>}
    </section>
  );
}

function columnsOf(instrument: Instrument): readonly Column<Position>[] {
  return [
    {title: "Side", cell: (p) => <Direction side={p.side}/>},
    {title: "Quantity", number: true, cell: (p) => <Amount value={p.qty} unit={instrument.baseCurrency}/>},
    amounts("Entry", (p) => p.entryPrice),
    amounts("Mark", (p) => p.markPrice),
    {title: "Unrealized", number: true, cell: (p) => <Amount gain value={p.unrealizedPnl} unit={instrument.settleCurrency}/>},
    amounts("Leverage", (p) => p.leverage),
    {title: "Stop", number: true, cell: (p) => p.stopLoss === null ? <span className={orders.warning}>none</span> : <Amount value={p.stopLoss}/>},
    amounts("Target", (p) => p.takeProfit),
  ];
}
