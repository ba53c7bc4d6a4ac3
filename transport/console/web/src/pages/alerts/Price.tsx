import {useRef} from "react";
import {query, trading} from "../../api/trading";
import type {Exchange, Ticker, VenueItems} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {mark, usePainter, write} from "../../live/painter";
import {useTape} from "../../live/use";
import {shown} from "../../money/format";
import {Amount} from "../../ui/Amount";
import {TrustMark} from "../trade/TrustMark";
import styles from "./Alerts.module.css";

/** useTicker reads the prices of an instrument every few seconds. */
export function useTicker(exchange: Exchange, symbol: string) {
  return useReading(["ticker", exchange, symbol], () => trading<VenueItems<Ticker>>("GET", `tickers${query({exchange, symbol})}`), FAST_MILLISECONDS);
}

/** Price shows the current prices of an instrument: the last one with each trade. */
export function Price({exchange, symbol}: {exchange: Exchange; symbol: string}) {
  const last = useRef<HTMLSpanElement>(null);
  const tape = useTape(exchange, symbol);
  const ticker = useTicker(exchange, symbol);
  const found = ticker.data?.items[0];
  usePainter(tape, (held) => {
    const trade = held.last;
    if (!last.current || !trade) return;
    write(last.current, shown(trade.price));
    mark(last.current, "side", trade.side);
  });
  return (
    <section className={styles.price} aria-label="Current price">
      <h3>{symbol} <span className="dim">on {exchange}</span></h3>
      <span ref={last} className={styles.last} data-testid="last">{shown(found?.last)}</span>
      <dl><dt>mark</dt><dd className={ticker.error ? styles.old : undefined}><Amount value={found?.mark}/></dd></dl>
      <TrustMark held={tape} what="price"/>
    </section>
  );
}
