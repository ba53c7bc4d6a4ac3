import type {Instrument, Position} from "../../api/types";
import {usePositions} from "../../live/use";
import {Amount} from "../../ui/Amount";
import {Table, amounts, type Column} from "../../ui/Table";
import {TrustMark} from "./TrustMark";
import styles from "./Market.module.css";

/** OwnPosition shows the customer's position in an instrument. */
export function OwnPosition({instrument}: {instrument: Instrument}) {
  const positions = usePositions();
  const own = positions?.list().filter((p) => p.exchange === instrument.exchange && p.symbol === instrument.symbol) ?? [];
  return (
    <section className={styles.panel} aria-label="Position">
      <header className={styles.head}><h2>Position</h2><TrustMark held={positions} what="Position"/></header>
      {own.length > 0
        ? <div className={styles.scroll}><Table dense caption={`Position in ${instrument.symbol}`} columns={columnsOf(instrument)} rows={own} id={(p) => p.side}/></div>
        : positions?.trust.state === "live" && <p className={styles.none}>No position in {instrument.symbol}.</p>}
    </section>
  );
}

function columnsOf(instrument: Instrument): readonly Column<Position>[] {
  return [
    {title: "Side", cell: (p) => p.side},
    {title: "Quantity", number: true, cell: (p) => <Amount value={p.qty} unit={instrument.baseCurrency}/>},
    amounts("Entry", (p) => p.entryPrice),
    amounts("Mark", (p) => p.markPrice),
    {title: "Unrealized", number: true, cell: (p) => <Amount gain value={p.unrealizedPnl} unit={instrument.settleCurrency}/>},
    amounts("Stop", (p) => p.stopLoss),
    amounts("Target", (p) => p.takeProfit),
  ];
}
