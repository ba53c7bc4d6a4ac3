import type {Candle, Instrument} from "../../api/types";
import type {Candles} from "../../live/candles";
import {useRendered} from "../../live/use";
import {Amount} from "../../ui/Amount";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {merged} from "./bars";
import styles from "./Chart.module.css";

const ROWS = 50;

const columns: readonly Column<Candle>[] = [
  {title: "Start", cell: (candle) => <Time at={candle.start}/>},
  {title: "Open", number: true, cell: (candle) => <Amount value={candle.open}/>},
  {title: "High", number: true, cell: (candle) => <Amount value={candle.high}/>},
  {title: "Low", number: true, cell: (candle) => <Amount value={candle.low}/>},
  {title: "Close", number: true, cell: (candle) => <Amount value={candle.close}/>},
  {title: "Volume", number: true, cell: (candle) => <Amount value={candle.volume}/>},
];

/** CandleTable shows the newest candles as a table. */
export function CandleTable({instrument, held, history}: {instrument: Instrument; held: Candles | undefined; history: readonly Candle[]}) {
  const streamed = useRendered(held)?.all ?? new Map<string, Candle>();
  const rows = merged(history, streamed).slice(-ROWS).reverse();
  return <div className={styles.table}><Table caption={`Candles of ${instrument.symbol}`} columns={columns} rows={rows} id={(candle) => candle.start}/></div>;
}
