import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {faultOf} from "../../api/client";
import {trading} from "../../api/trading";
import type {Order, Position} from "../../api/types";
import {environmentIn, useSession} from "../../app/session";
import {compare} from "../../money/decimal";
import {typed} from "../../money/format";
import styles from "../../orders/Orders.module.css";
import {Status} from "../../orders/Status";
import {useTicket} from "../../orders/ticket";
import {UNKNOWN_TEXT} from "../../orders/words";
import {Amount} from "../../ui/Amount";
import {Dialog} from "../../ui/Dialog";
import {Failure} from "../../ui/Panel";

interface Props {
  readonly position: Position | undefined;
  readonly close: () => void;
}

/** Close is the dialog that closes a position, or a part of it, at the market. */
export function Close({position, close}: Props) {
  return <Dialog opened={position !== undefined} onClose={close} title="Close this position" centered>{position && <Form position={position} close={close}/>}</Dialog>;
}

function Form({position: first, close}: {position: Position; close: () => void}) {
  const [position] = useState(first); // what is asked does not change while it is read
  const environment = environmentIn(useSession(), position.exchange);
  const [qty, setQty] = useState("");
  const part = qty.trim() === "" ? undefined : typed(qty);
  const fault = part?.fault ?? (part?.value !== undefined && compare(part.value, position.qty) > 0 ? `The position has ${position.qty}.` : undefined);
  const ticket = useTicket(`close ${position.exchange} ${position.symbol} ${position.side}`, (requestId) => trading<Order>("POST", "positions/close", {exchange: position.exchange, symbol: position.symbol, qty: part?.value, requestId}));
  const {busy, failure, order, lost} = ticket;
  if (order) return (
    <Stack>
      <Text component="div" role="status"><Status order={order}/> {order.filledQty !== "0" && <>· <Amount value={order.filledQty}/> at <Amount value={order.avgPrice}/></>}</Text>
      {order.status === "unknown" && <p className={styles.note}>{UNKNOWN_TEXT}</p>}
      {order.error && <p className={styles.alarm}>{order.error.message}</p>}
      <Text size="sm" className="mono">{order.orderId}</Text>
      <Group justify="flex-end"><Button onClick={close} data-autofocus>Done</Button></Group>
    </Stack>
  );
  return (
    <form onSubmit={ticket.submit}>
      <Stack>
        <Text>Sends a reduce-only market order that {position.side === "long" ? "sells" : "buys"} {part?.value ?? position.qty} {position.symbol} on {position.exchange}.</Text>
        <TextInput label="Quantity" description={`Empty closes all of ${position.qty}.`} inputMode="decimal" autoComplete="off" maxLength={40} disabled={busy || lost}
          error={fault ?? faultOf(failure, "qty")} value={qty} onChange={(e) => setQty(e.currentTarget.value)}/>
        {lost && <div className={styles.note} role="status">
          <p>Outcome not received. The order is looked up by its request id, and not sent again.</p>
          <p className="mono outside">{ticket.requestId}</p>
        </div>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>{lost ? "Close the dialog" : "Keep"}</Button>
          {!lost && <Button type="submit" color="var(--down)" autoContrast loading={busy} disabled={fault !== undefined}>Close the position · {environment}</Button>}
        </Group>
      </Stack>
    </form>
  );
}
