import {Button, Group, NativeSelect, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {faultOf} from "../api/client";
import {query, trading} from "../api/trading";
import type {Order, OrderRequest, Page, Position} from "../api/types";
import {FAST_MILLISECONDS, useReading} from "../app/reading";
import {environmentIn, useSession} from "../app/session";
import {compare} from "../money/decimal";
import {shown, typed} from "../money/format";
import {ChangeForm} from "../orders/Change";
import {Lost, Sent} from "../orders/Sent";
import {useTicket} from "../orders/ticket";
import {Dialog} from "../ui/Dialog";
import {Failure, Waiting} from "../ui/Panel";
import {entriesOf} from "./entries";
import {closingSide, positionId} from "./words";

const MOST_ORDERS = "200";

interface Props {
  readonly position: Position | undefined;
  readonly close: () => void;
}

/** Protect is the dialog that sets what protects a position. */
export function Protect({position, close}: Props) {
  return <Dialog opened={position !== undefined} onClose={close} title="Protect this position" centered>{position && <Body key={positionId(position)} position={position} close={close}/>}</Dialog>;
}

// Stop loss and take profit belong to the order that opened the position. Without such an order
// a stop of its own protects it.
function Body({position: first, close}: {position: Position; close: () => void}) {
  const [position] = useState(first); // what is asked does not change while it is read
  const {exchange, symbol} = position;
  const orders = useReading(["v1", "entries", exchange, symbol], () => trading<Page<Order>>("GET", `orders${query({exchange, symbol, status: "all", limit: MOST_ORDERS})}`), FAST_MILLISECONDS);
  const [id, setId] = useState("");
  if (!orders.data) return orders.error ? <Failure error={orders.error} retry={() => void orders.refetch()}/> : <Waiting/>;
  const entries = entriesOf(position, orders.data.items);
  const entry = entries.find(({orderId}) => orderId === id) ?? entries[0];
  if (!entry) return <Stop position={position} close={close}/>;
  return (
    <Stack>
      <Text>The {position.side} position of {position.qty} {symbol} on {exchange} is protected through the order that opened it. A new stop is live before the old one ends.</Text>
      <Text size="sm" c="dimmed">The venue may refuse a price that the market has already reached, or one too far from it. What protects the position then stays as it is.</Text>
      {entries.length > 1 && <NativeSelect label="Order" value={entry.orderId} onChange={(e) => setId(e.currentTarget.value)}
        data={entries.map(({orderId, filledQty, avgPrice}) => ({value: orderId, label: `${filledQty} at ${shown(avgPrice)} · ${orderId}`}))}/>}
      <ChangeForm key={entry.orderId} order={entry} close={close} changed={close}/>
    </Stack>
  );
}

function Stop({position, close}: {position: Position; close: () => void}) {
  const {exchange, symbol, side, qty, markPrice} = position;
  const environment = environmentIn(useSession(), exchange);
  const [price, setPrice] = useState("");
  const trigger = price.trim() === "" ? undefined : typed(price);
  const wrongSide = trigger?.value !== undefined && markPrice !== null && compare(trigger.value, markPrice) !== (side === "long" ? -1 : 1);
  const fault = trigger?.fault ?? (wrongSide ? `${side === "long" ? "Below" : "Above"} the mark price ${shown(markPrice)}, to protect a ${side} position.` : undefined);
  const ticket = useTicket(`protect ${positionId(position)}`, (requestId) => trading<Order>("POST", "orders", {
    exchange, symbol, side: closingSide(position), type: "stop_market", qty, triggerPrice: trigger?.value ?? "", reduceOnly: true, requestId,
  } satisfies OrderRequest));
  const {busy, failure, order, lost} = ticket;
  if (order) return <Sent order={order} close={close}/>;
  return (
    <form onSubmit={ticket.submit}>
      <Stack>
        <Text>No order of this service protects the {side} position of {qty} {symbol} on {exchange}. This places a reduce-only stop: once the price is there, it {closingSide(position)}s {qty} at the market.</Text>
        <Text size="sm" c="dimmed">The stop does not follow a position that grows. The venue may refuse a price that the market has already reached; the position then stays without protection.</Text>
        <TextInput label="Stop loss" inputMode="decimal" autoComplete="off" maxLength={40} disabled={busy || lost} data-autofocus
          error={fault ?? faultOf(failure, "triggerPrice")} value={price} onChange={(e) => setPrice(e.currentTarget.value)}/>
        {lost && <Lost requestId={ticket.requestId}/>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy}>{lost ? "Close the dialog" : "Keep"}</Button>
          {!lost && <Button type="submit" loading={busy} disabled={trigger?.value === undefined || fault !== undefined}>Place the stop · {environment}</Button>}
        </Group>
      </Stack>
    </form>
  );
}
