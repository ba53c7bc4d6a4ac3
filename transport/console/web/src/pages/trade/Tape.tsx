import {useRef} from "react";
import type {Instrument} from "../../api/types";
import {mark, usePainter, write} from "../../live/painter";
import {useTape} from "../../live/use";
import {decimalsOf, padding, shown} from "../../money/format";
import {clock} from "./clock";
import {TrustMark} from "./TrustMark";
import styles from "./Market.module.css";

const ROWS = 30;

type Line = NonNullable<ReturnType<typeof useTape>>["lines"][number];

/** Trades shows the newest trades of an instrument, painted outside of React. */
export function Trades({instrument}: {instrument: Instrument}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const tape = useTape(instrument.exchange, instrument.symbol);
  usePainter(tape, ({lines}) => {
    for (const [at, row] of [...body.current?.rows ?? []].entries()) paintLine(row, lines[at], instrument);
  });
  return (
    <section className={styles.panel} aria-label="Trades">
      <header className={styles.head}><h2>Trades</h2><TrustMark held={tape} what="Trades"/></header>
      <div className={styles.scroll}>
        <table className={styles.tape}>
          <thead><tr><th scope="col">Price</th><th scope="col">Quantity</th><th scope="col">Time</th></tr></thead>
          <tbody ref={body}>{Array.from({length: ROWS}, (_, at) => <tr key={at}><td/><td/><td/></tr>)}</tbody>
        </table>
      </div>
    </section>
  );
}

function paintLine(row: HTMLTableRowElement, line: Line | undefined, instrument: Instrument): void {
  const [price, qty, time] = row.cells;
  if (!price || !qty || !time) return;
  const trade = line && "price" in line ? line : undefined;
  const missed = line && "missed" in line ? `⋯ ${line.missed ?? "an unknown number"} missed` : "";
  mark(row, "side", trade?.side);
  mark(row, "missed", missed ? "" : undefined);
  mark(price, "pad", padding(trade?.price, decimalsOf(instrument.tickSize)));
  mark(qty, "pad", padding(trade?.qty, decimalsOf(instrument.qtyStep)));
  write(price, trade ? shown(trade.price) : missed);
  write(qty, trade ? shown(trade.qty) : "");
  write(time, trade?.ts ? clock(new Date(trade.ts)) : "");
}
