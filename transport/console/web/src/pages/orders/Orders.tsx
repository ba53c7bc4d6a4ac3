import {Button, Group, SegmentedControl} from "@mantine/core";
import {useRef, useState} from "react";
import {useSearchParams} from "wouter";
import type {Order} from "../../api/types";
import {useTradingList} from "../../app/reading";
import {mayTrade, useSession} from "../../app/session";
import {Details} from "../../orders/Details";
import styles from "../../orders/Orders.module.css";
import {Side} from "../../orders/Side";
import {Status} from "../../orders/Status";
import {useOrderActs} from "../../orders/act";
import {isChangeable, isOpen, plain} from "../../orders/words";
import {EXCHANGE, Filters, PERIOD, SYMBOL, choices, useFilters, type Filter} from "../../ui/Filters";
import {Failure, Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {useRowKeys} from "../../ui/rows";
import {CancelAll} from "./CancelAll";

const filters: readonly Filter[] = [
  EXCHANGE, SYMBOL, {name: "source", label: "Source", choices: choices("all", ["api", "webhook", "chart", "console", "protection", "venue"])},
  {name: "channelId", label: "Channel", example: "hook_…"}, {name: "requestId", label: "Request id"}, ...PERIOD,
];

/** Orders lists orders, open ones at first; one of them is open in the drawer. */
export default function Orders() {
  const trader = mayTrade(useSession());
  const [search, setSearch] = useSearchParams();
  const chosen = useFilters(filters);
  const status = search.get("status") ?? "open";
  const orders = useTradingList<Order>("orders", {...chosen, status});
  const [cancelling, setCancelling] = useState(false);
  const set = (name: string, value: string | null) => setSearch((before) => {
    if (value === null) before.delete(name);
    else before.set(name, value);
    return before;
  }, {replace: true});
  const show = (id: string | null) => set("order", id);
  const {cancel, change, dialogs, keys} = useOrderActs((by) => search.get("order") !== null && show(by.orderId));
  const rows = orders.data?.pages.flatMap(({items}) => items) ?? [];
  const list = useRef<HTMLDivElement>(null);
  useRowKeys(list, rows, (order) => order.orderId, trader ? keys : {c: keys.c});
  const some = status === "open" && trader && rows.length > 0;
  return (
    <>
      <h1>Orders</h1>
      <SegmentedControl aria-label="Status" data={[{value: "open", label: "Open"}, {value: "closed", label: "Closed"}, {value: "all", label: "All"}]}
        value={status} onChange={(value) => set("status", value)} style={{justifySelf: "start"}}/>
      <Filters filters={filters}/>
      <div ref={list}><Panel title={status === "open" ? "Open orders" : status === "closed" ? "Closed orders" : "All orders"} query={orders.isFetchNextPageError ? {...orders, error: null} : orders}
        actions={some && <Button size="xs" variant="default" onClick={() => setCancelling(true)}>Cancel all</Button>}
        empty={{when: () => !orders.hasNextPage && rows.length === 0, text: Object.keys(chosen).length > 0 ? "No order matches these filters."
          : status === "open" ? "No open orders. Programs, signals and the trade page place them." : "No order yet."}}>
        {() => <Table dense caption="Orders" rows={rows} id={(order) => order.orderId} faded={(order) => status === "all" && !isOpen(order)}
          columns={[opening(show), ...columns, ...(trader && status !== "closed" ? [acting(cancel, change)] : [])]}/>}
      </Panel></div>
      {orders.isFetchNextPageError && <Failure error={orders.error} retry={() => void orders.fetchNextPage()}/>}
      {orders.hasNextPage && <Group justify="center">
        <Button variant="default" loading={orders.isFetchingNextPage} onClick={() => void orders.fetchNextPage()}>Older orders</Button>
      </Group>}
      <Details id={search.get("order")} close={() => show(null)} show={show} cancel={cancel} change={change}/>
      {dialogs}
      <CancelAll opened={cancelling} close={() => setCancelling(false)} orders={rows} more={orders.hasNextPage} filters={chosen}/>
    </>
  );
}

function opening(show: (id: string) => void): Column<Order> {
  return {title: "Instrument", cell: (order) => (
    <><button type="button" className={styles.link} data-row={order.orderId} onClick={() => show(order.orderId)} aria-label={`${order.symbol} on ${order.exchange}, ${order.side} ${order.qty}: details`}>{order.symbol}</button> <span className="dim">{order.exchange}</span></>)};
}

const columns: readonly Column<Order>[] = [
  {title: "Order", cell: (order) => <><Side side={order.side}/> {plain(order.protects ?? order.type)}{order.reduceOnly && <span className="dim"> reduce</span>}</>},
  amounts("Quantity", (order) => order.qty),
  amounts("Filled", (order) => order.filledQty),
  amounts("Price", (order) => order.price ?? order.triggerPrice),
  amounts("Average", (order) => order.avgPrice),
  {title: "Status", cell: (order) => <Status order={order}/>},
  {title: "Source", cell: (order) => order.source},
  {title: "Created", cell: (order) => <Time at={order.createdAt}/>},
];

function acting(cancel: (order: Order) => void, change: (order: Order) => void): Column<Order> {
  return {title: "Actions", acts: true, cell: (order) => isOpen(order) && (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {isChangeable(order) && <Button size="xs" variant="default" onClick={() => change(order)} aria-label={`Change ${order.symbol} ${order.side} ${order.qty}`}>Change</Button>}
      <Button size="xs" variant="default" onClick={() => cancel(order)} aria-label={`Cancel ${order.symbol} ${order.side} ${order.qty}`}>Cancel</Button>
    </Group>)};
}
