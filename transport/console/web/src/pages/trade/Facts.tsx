import {useRef} from "react";
import {query, trading} from "../../api/trading";
import type {Instrument, Ticker, VenueItems} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {mark, usePainter, write} from "../../live/painter";
import {useTape, useTrust} from "../../live/use";
import {shown} from "../../money/format";
import {Amount} from "../../ui/Amount";
import {clock} from "./clock";
import styles from "./Trade.module.css";

/** Facts shows the last price, the mark price and the steps of an instrument. */
export function Facts({instrument}: {instrument: Instrument}) {
  const {exchange, symbol, tickSize, qtyStep, minQty, minNotional, baseCurrency, quoteCurrency} = instrument;
  const last = useRef<HTMLSpanElement>(null);
  const held = useTape(exchange, symbol);
  const trust = useTrust(held);
  usePainter(held, (tape) => {
    const trade = tape.last;
    if (last.current) mark(last.current, "stale", tape.trust.state === "stale" ? "" : undefined);
    if (!last.current || !trade) return;
    write(last.current, shown(trade.price));
    mark(last.current, "side", trade.side);
  });
  const ticker = useReading(["ticker", exchange, symbol], () => trading<VenueItems<Ticker>>("GET", `tickers${query({exchange, symbol})}`), FAST_MILLISECONDS);
  const found = ticker.data?.items[0];
  const isOld = ticker.error !== null;
  return (
    <dl className={styles.facts}>
      <div><dt className={styles.hidden}>Last price</dt><dd><span ref={last} className={styles.last}/><span className={styles.last}>{shown(found?.last)}</span>{trust?.state === "stale" && <span className={styles.old}>not current since {clock(new Date(trust.since ?? 0))}</span>}</dd></div>
      <div><dt>mark</dt><dd className={isOld ? styles.stale : undefined}><Amount value={found?.mark}/></dd></div>
      <div><dt>tick</dt><dd><Amount value={tickSize}/></dd></div>
      <div><dt>step</dt><dd><Amount value={qtyStep} unit={baseCurrency}/></dd></div>
      <div><dt>at least</dt><dd><Amount value={minQty} unit={baseCurrency}/>{minNotional && <>, <Amount value={minNotional} unit={quoteCurrency}/></>}</dd></div>
    </dl>
  );
}
