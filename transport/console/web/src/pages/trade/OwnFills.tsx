import type {UseQueryResult} from "@tanstack/react-query";
import {Link} from "wouter";
import type {Fill, Instrument, Page} from "../../api/types";
import orders from "../../orders/Orders.module.css";
import {pathOfOrder} from "../../app/paths";
import {Side} from "../../orders/Side";
import {Amount} from "../../ui/Amount";
import {Failure, Waiting} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import styles from "./Market.module.css";

/** OwnFills shows the customer's last fills of an instrument. */
export function OwnFills({instrument: {exchange, symbol}, fills}: {instrument: Instrument; fills: UseQueryResult<Page<Fill>>}) {
  return (
    <section aria-label="Fills">
      {fills.error && <Failure error={fills.error} retry={() => void fills.refetch()} stale={fills.data !== undefined}/>}
      {!fills.data && !fills.error && <Waiting/>}
      {fills.data?.items.length === 0 && <p className={styles.none}>No fill in {symbol} in the last 31 days.</p>}
      {fills.data && fills.data.items.length > 0 && <div className={styles.rows}><Table dense caption={`Fills of ${symbol}`} columns={columns} rows={fills.data.items} id={(fill) => fill.fillId}/></div>}
      {fills.data?.nextCursor && <p className={styles.none}>Older ones are on the page of <Link href={`/fills?exchange=${exchange}&symbol=${encodeURIComponent(symbol)}`}>fills</Link>.</p>}
    </section>
  );
}

const columns: readonly Column<Fill>[] = [
  {title: "Time", cell: (fill) => <Time at={fill.executedAt}/>},
  {title: "Side", cell: (fill) => <Side side={fill.side}/>},
  amounts("Quantity", (fill) => fill.qty),
  amounts("Price", (fill) => fill.price),
  {title: "Fee", number: true, cell: (fill) => <Amount value={fill.fee} unit={fill.feeCurrency}/>},
  amounts("Realized", (fill) => fill.realizedPnl, true),
  {title: "Liquidity", cell: (fill) => fill.liquidity ?? "–"},
  {title: "Order", cell: (fill) => fill.orderId ? <Link className={orders.link ?? ""} href={pathOfOrder(fill.orderId)}>{fill.source}</Link> : fill.source},
];
