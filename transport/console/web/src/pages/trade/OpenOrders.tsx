import {Button, Group} from "@mantine/core";
import type {Instrument, Order} from "../../api/types";
import {mayTrade, useSession} from "../../app/session";
import type {Records} from "../../live/records";
import {Status} from "../../orders/Status";
import {useOrderActs} from "../../orders/act";
import {plain} from "../../orders/words";
import {Table, amounts, type Column} from "../../ui/Table";
import {TrustMark} from "./TrustMark";
import {summaryOf} from "./words";
import styles from "./Market.module.css";

interface Props {
  readonly instrument: Instrument;
  readonly held: Records<Order> | undefined;
  readonly own: readonly Order[];
}

/** OpenOrders shows the customer's open orders of an instrument, and changes and cancels them. */
export function OpenOrders({instrument, held, own}: Props) {
  const trades = mayTrade(useSession());
  const {cancel, change, dialogs} = useOrderActs();
  const acts: Column<Order> = {title: "Actions", acts: true, cell: (order) => (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {order.entryOrderId === null && <Button size="compact-xs" variant="default" aria-label={`Change ${summaryOf(order)}`} onClick={() => change(order)}>Change</Button>}
      <Button size="compact-xs" variant="default" aria-label={`Cancel ${summaryOf(order)}`} onClick={() => cancel(order)}>Cancel</Button>
    </Group>
  )};
  return (
    <section className={styles.panel} aria-label="Open orders">
      <header className={styles.head}><h2>Open orders{own.length > 0 && ` ${own.length}`}</h2><TrustMark held={held} what="Orders"/></header>
      {own.length > 0
        ? <div className={styles.scroll}><Table dense caption={`Open orders of ${instrument.symbol}`} columns={trades ? [...columns, acts] : columns} rows={own} id={(order) => order.orderId}/></div>
        : held?.trust.state === "live" && <p className={styles.none}>No open orders in {instrument.symbol}.</p>}
      {dialogs}
    </section>
  );
}

const columns: readonly Column<Order>[] = [
  {title: "Status", cell: (order) => <Status order={order}/>},
  {title: "Order", cell: (order) => `${order.side} ${plain(order.protects ?? order.type)}${order.reduceOnly && !order.protects ? ", reduce only" : ""}`},
  amounts("Quantity", (order) => order.qty),
  amounts("Filled", (order) => order.filledQty),
  amounts("Price", (order) => order.price),
  amounts("Trigger", (order) => order.triggerPrice),
];
