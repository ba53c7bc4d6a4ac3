import {Button, Group} from "@mantine/core";
import {useRef, useState} from "react";
import type {Instrument, Order} from "../../api/types";
import {mayTrade, useSession} from "../../app/session";
import type {Records} from "../../live/records";
import {Details} from "../../orders/Details";
import orders from "../../orders/Orders.module.css";
import {Side} from "../../orders/Side";
import {Status} from "../../orders/Status";
import {useOrderActs} from "../../orders/act";
import {isChangeable, plain} from "../../orders/words";
import {Table, amounts, type Column} from "../../ui/Table";
import {useRowKeys} from "../../ui/rows";
import {summaryOf} from "./words";
import styles from "./Market.module.css";

interface Props {
  readonly instrument: Instrument;
  readonly held: Records<Order> | undefined;
  readonly own: readonly Order[];
}

/** OpenOrders shows the customer's open orders of an instrument, and opens, changes and cancels them. */
export function OpenOrders({instrument, held, own}: Props) {
  const trades = mayTrade(useSession());
  const [open, setOpen] = useState<string | null>(null);
  const {cancel, change, dialogs, keys} = useOrderActs((by) => open !== null && setOpen(by.orderId));
  const list = useRef<HTMLDivElement>(null);
  useRowKeys(list, own, (order) => order.orderId, trades ? keys : {c: keys.c});
  const opening: Column<Order> = {title: "Order", cell: (order) => (
    <><Side side={order.side}/> <button type="button" className={orders.link} data-row={order.orderId} aria-label={`${summaryOf(order)}: details`} onClick={() => setOpen(order.orderId)}>{plain(order.protects ?? order.type)}</button>
      {order.reduceOnly && !order.protects && <span className="dim"> reduce only</span>}</>)};
  const acts: Column<Order> = {title: "Actions", acts: true, cell: (order) => (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {isChangeable(order) && <Button size="compact-xs" variant="default" aria-label={`Change ${summaryOf(order)}`} onClick={() => change(order)}>Change</Button>}
      <Button size="compact-xs" variant="default" aria-label={`Cancel ${summaryOf(order)}`} onClick={() => cancel(order)}>Cancel</Button>
    </Group>
  )};
  return (
    <section aria-label="Open orders">
      {own.length > 0
        ? <div ref={list} className={styles.rows}><Table dense caption={`Open orders of ${instrument.symbol}`} columns={trades ? [opening, ...columns, acts] : [opening, ...columns]} rows={own} id={(order) => order.orderId}/></div>
        : held?.trust.state === "live" && <p className={styles.none}>No open orders in {instrument.symbol}.</p>}
      <Details id={open} close={() => setOpen(null)} show={setOpen} cancel={cancel} change={change}/>
      {dialogs}
    </section>
  );
}

const columns: readonly Column<Order>[] = [
  {title: "Status", cell: (order) => <Status order={order}/>},
  amounts("Quantity", (order) => order.qty),
  amounts("Filled", (order) => order.filledQty),
  // A stop order waits for its trigger first. The panel has no room for both, which the details have.
  amounts("Price or trigger", (order) => order.triggerPrice ?? order.price),
];
