import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {faultOf} from "../api/client";
import {trading} from "../api/trading";
import type {Instrument, Order, Position} from "../api/types";
import {environmentIn, useSession} from "../app/session";
import {compare} from "../money/decimal";
import {typed} from "../money/format";
import {mostFor} from "../money/steps";
import {Lost, Sent} from "../orders/Sent";
import {useTicket} from "../orders/ticket";
import {Dialog} from "../ui/Dialog";
import {Failure} from "../ui/Panel";
import {closingSide, positionId} from "./words";

const PERCENTS = [25, 50, 75];

interface Props {
  readonly position: Position | undefined;
  /** Of the position, where it is known: parts are whole steps of it. */
  readonly instrument?: Instrument | undefined;
  readonly close: () => void;
}

/** Close is the dialog that closes a position, or a part of it, at the market. */
export function Close({position, ...rest}: Props) {
  return <Dialog opened={position !== undefined} onClose={rest.close} title="Close this position" centered>{position && <Form position={position} {...rest}/>}</Dialog>;
}

function Form({position: first, instrument, close}: Props & {readonly position: Position}) {
  const [position] = useState(first); // what is asked does not change while it is read
  const environment = environmentIn(useSession(), position.exchange);
  const [qty, setQty] = useState("");
  const part = qty.trim() === "" ? undefined : typed(qty);
  const fault = part?.fault ?? (part?.value !== undefined && compare(part.value, position.qty) > 0 ? `The position has ${position.qty}.` : undefined);
  const ticket = useTicket(`close ${positionId(position)}`, (requestId) => trading<Order>("POST", "positions/close", {exchange: position.exchange, symbol: position.symbol, qty: part?.value, requestId}));
  const {busy, failure, order, lost} = ticket;
  if (order) return <Sent order={order} close={close}/>;
  return (
    <form onSubmit={ticket.submit}>
      <Stack>
        <Text>Sends a reduce-only market order that {closingSide(position)}s {part?.value ?? position.qty} {position.symbol} on {position.exchange}. Stop loss and take profit then protect what is left.</Text>
        <Text size="sm" c="dimmed">The venue may refuse it: while the instrument is halted, for less than the smallest order, or when the position was closed meanwhile. The position then stays as it is.</Text>
        <TextInput label="Quantity" description={`Empty closes all of ${position.qty}.`} inputMode="decimal" autoComplete="off" maxLength={40} disabled={busy || lost}
          error={fault ?? faultOf(failure, "qty")} value={qty} onChange={(e) => setQty(e.currentTarget.value)}/>
        {instrument && <Group gap="xs">{PERCENTS.map((percent) => (
          <Button key={percent} size="compact-xs" variant="default" disabled={busy || lost} onClick={() => setQty(mostFor(position.qty, percent, "1", instrument.qtyStep))}>{percent} %</Button>))}
          <Button size="compact-xs" variant="default" disabled={busy || lost} onClick={() => setQty("")}>All</Button></Group>}
        {lost && <Lost requestId={ticket.requestId}/>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>{lost ? "Close the dialog" : "Keep"}</Button>
          {!lost && <Button type="submit" color="var(--down)" loading={busy} disabled={fault !== undefined}>Close the position · {environment}</Button>}
        </Group>
      </Stack>
    </form>
  );
}
