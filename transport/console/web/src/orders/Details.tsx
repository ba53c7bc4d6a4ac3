import {Button, Drawer, Group, Stack} from "@mantine/core";
import type {ReactNode} from "react";
import {Link} from "wouter";
import {call} from "../api/client";
import {query, trading} from "../api/trading";
import type {Fill, JournalRow, Order, Page} from "../api/types";
import {pathOfOrigin} from "../app/paths";
import {FAST_MILLISECONDS, SLOW_MILLISECONDS, useReading} from "../app/reading";
import {mayTrade, useSession} from "../app/session";
import {OfOrder} from "../latency/OfOrder";
import {Amount} from "../ui/Amount";
import {Failure, Waiting} from "../ui/Panel";
import {State} from "../ui/State";
import {Time} from "../ui/Time";
import styles from "./Orders.module.css";
import {Side} from "./Side";
import {Status} from "./Status";
import {UNKNOWN_TEXT, isChangeable, isOpen, plain} from "./words";
import {visible} from "../ui/outside";

interface Props {
  readonly id: string | null;
  readonly close: () => void;
  readonly show: (id: string) => void;
  readonly cancel: (order: Order) => void;
  readonly change: (order: Order) => void;
}

/** Details is the drawer of one order: its record, fills and journal. */
export function Details({id, close, ...rest}: Props) {
  return (
    <Drawer opened={id !== null} onClose={close} position="right" size={520} title="Order">
      {id !== null && <Body key={id} id={id} {...rest}/>}
    </Drawer>
  );
}

function Body({id, show, cancel, change}: Omit<Props, "close"> & {readonly id: string}) {
  const trader = mayTrade(useSession());
  const read = useReading(["v1", "order", id], () => trading<Order>("GET", `orders/${encodeURIComponent(id)}`), FAST_MILLISECONDS);
  const order = read.data;
  return (
    <Stack>
      {read.error && <Failure error={read.error} retry={() => void read.refetch()} stale={order !== undefined}/>}
      {!order && !read.error && <Waiting/>}
      {order && <>
        <Record order={order} show={show}/>
        {trader && isOpen(order) && <Group>
          {isChangeable(order) && <Button size="xs" variant="default" onClick={() => change(order)}>Change</Button>}
          <Button size="xs" variant="default" onClick={() => cancel(order)}>Cancel</Button>
        </Group>}
        <Fills order={order}/>
        <OfOrder id={id}/>
      </>}
      <History id={id}/>
    </Stack>
  );
}

function Record({order, show}: {order: Order; show: (id: string) => void}) {
  const other = (name: string, id: string | null) => id && <Fact name={name}><button type="button" className={`${styles.link} mono`} onClick={() => show(id)}>{id}</button></Fact>;
  const origin = pathOfOrigin(order);
  return (
    <>
      <dl className={styles.facts}>
        <Fact name="Instrument"><strong>{order.symbol}</strong> <span className="dim">{order.exchange}</span></Fact>
        <Fact name="Status"><Status order={order}/></Fact>
        <Fact name="Order"><Side side={order.side}/> {plain(order.type)} {order.timeInForce}{order.reduceOnly && ", reduce only"}{order.postOnly && ", post only"}</Fact>
        <Fact name="Quantity"><Amount value={order.qty}/></Fact>
        <Fact name="Filled"><Amount value={order.filledQty}/></Fact>
        <Fact name="Average price"><Amount value={order.avgPrice}/></Fact>
        <Fact name="Price"><Amount value={order.price}/></Fact>
        {order.triggerPrice !== null && <Fact name="Trigger price"><Amount value={order.triggerPrice}/></Fact>}
        <Fact name="Stop loss"><Leg price={order.stopLoss} leg={order.protection?.stopLoss}/></Fact>
        <Fact name="Take profit"><Leg price={order.takeProfit} leg={order.protection?.takeProfit}/></Fact>
        <Fact name="Fee"><Amount value={order.fee} unit={order.feeCurrency}/></Fact>
        <Fact name="Created"><Time at={order.createdAt}/></Fact>
        <Fact name="Updated"><Time at={order.updatedAt}/></Fact>
        <Fact name="Source">{order.source}{order.channelId && <> <Link className="mono" href={`/channels/${order.channelId}`}>{order.channelId}</Link></>}</Fact>
        <Fact name="Id"><span className="mono">{order.orderId}</span></Fact>
        <Fact name="Id at the venue"><span className="mono">{order.venueOrderId ?? "–"}</span></Fact>
        <Fact name="Request id"><span className="mono outside">{origin ? <Link href={origin} title="The signal">{order.requestId}</Link> : order.requestId ?? "–"}</span></Fact>
        {other("Replaces", order.replaces)}{other("Replaced by", order.replacedBy)}{other("Protects", order.entryOrderId)}
        {order.comment && <Fact name="Comment"><span className="outside">{visible(order.comment)}</span></Fact>}
      </dl>
      {order.status === "unknown" && <p className={styles.note}>{UNKNOWN_TEXT}</p>}
      {order.error && <div className={styles.alarm} role="note">
        <p>{order.error.message}</p>
        <p className="dim"><span className="mono">{order.error.reason ?? order.error.code}</span>
          {order.error.venueMessage && <> · the venue: <span className="outside">{order.error.venueMessage}</span> <span className="mono">{order.error.venueCode}</span></>}</p>
      </div>}
    </>
  );
}

function Fact({name, children}: {name: string; children: ReactNode}) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

type ProtectionLeg = NonNullable<Order["protection"]>["stopLoss"];

function Leg({price, leg}: {price: string | null; leg: ProtectionLeg | undefined}) {
  return <><Amount value={price}/>{leg && <> <State tone={leg.status === "failed" ? "bad" : "plain"} mark="">{leg.status}</State></>}</>;
}

// One listing covers 31 days; an order is filled after it was created.
const WINDOW_MILLISECONDS = 31 * 86_400_000;

function windowOf(order: Order): {from?: string; to?: string} {
  const from = new Date(order.createdAt ?? Date.now());
  const to = new Date(from.getTime() + WINDOW_MILLISECONDS);
  return to < new Date() ? {from: from.toISOString(), to: to.toISOString()} : {};
}

function Fills({order}: {order: Order}) {
  const fills = useReading(["v1", "fills of", order.orderId, order.filledQty],
    () => trading<Page<Fill>>("GET", `fills${query({orderId: order.orderId, ...windowOf(order)})}`), SLOW_MILLISECONDS);
  return (
    <section className={styles.part} aria-label="Fills">
      <h2>Fills</h2>
      {fills.error && <Failure error={fills.error} retry={() => void fills.refetch()} stale={fills.data !== undefined}/>}
      {fills.data?.items.length === 0 && <p className="dim">None.</p>}
      <ul className={styles.rows}>{fills.data?.items.map((fill) => (
        <li key={fill.fillId}><Time at={fill.executedAt}/><span><Amount value={fill.qty}/> at <Amount value={fill.price}/></span>
          <span className="dim">fee <Amount value={fill.fee} unit={fill.feeCurrency}/>{fill.liquidity && ` · ${fill.liquidity}`}</span></li>))}</ul>
      {fills.data?.nextCursor && <p className="dim">More are on the page of fills.</p>}
    </section>
  );
}

function History({id}: {id: string}) {
  const rows = useReading(["journal of", id], () => call<Page<JournalRow>>("GET", `journal${query({subject: id, limit: "50"})}`), SLOW_MILLISECONDS);
  return (
    <section className={styles.part} aria-label="Journal">
      <h2>Journal</h2>
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} stale={rows.data !== undefined}/>}
      <ol className={styles.rows}>{rows.data?.items.map((row) => (
        <li key={row.id}><Time at={row.at}/><span className="mono">{row.kind}</span>{row.result && <span>{row.result}</span>}
          <span className="dim outside">{visible(row.fields.map(({name, value}) => `${name} ${value}`).join(" · "))}</span></li>))}</ol>
    </section>
  );
}
