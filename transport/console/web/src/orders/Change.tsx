import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {faultOf, isOutcomeUnknown} from "../api/client";
import {trading} from "../api/trading";
import type {Order} from "../api/types";
import {useReadAnew} from "../app/reading";
import {Dialog} from "../ui/Dialog";
import {useSubmit} from "../ui/form";
import {Failure} from "../ui/Panel";
import {changeOf, fieldsOf, type Field, type Fields} from "./amendment";
import {nameOf} from "./words";

const labels: Record<Field, string> = {
  price: "Price", triggerPrice: "Trigger price", qty: "Quantity", stopLoss: "Stop loss", takeProfit: "Take profit",
};

interface Props {
  readonly order: Order | undefined;
  readonly close: () => void;
  /** Called with the order as it is afterwards, which has another id where a venue cannot change one. */
  readonly changed: (order: Order) => void;
}

/** Change is the dialog that changes price, quantity, trigger or protection of an order. */
export function Change({order, ...rest}: Props) {
  return <Dialog opened={order !== undefined} onClose={rest.close} title="Change this order" centered>{order && <ChangeForm key={order.orderId} order={order} {...rest}/>}</Dialog>;
}

/** ChangeForm is what the dialog asks for. */
export function ChangeForm({order, close, changed}: Props & {readonly order: Order}) {
  const readAnew = useReadAnew();
  const [fields, setFields] = useState<Fields>(() => ({
    price: order.price ?? "", triggerPrice: order.triggerPrice ?? "", qty: order.qty, stopLoss: order.stopLoss ?? "", takeProfit: order.takeProfit ?? "",
  }));
  const {body, faults, fault} = changeOf(order, fields);
  const {busy, failure, submit} = useSubmit(async () => {
    try {
      changed(await trading<Order>("PATCH", `orders/${order.orderId}`, body));
    } finally {
      void readAnew();
    }
  });
  const unknown = isOutcomeUnknown(failure); // it is not sent twice
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{nameOf(order)}</Text>
        {fieldsOf(order).map((field) => <TextInput key={field} label={labels[field]} inputMode="decimal" autoComplete="off" maxLength={40} disabled={unknown}
          description={field === "qty" ? `In all, with the ${order.filledQty} that are filled.` : field === "stopLoss" || field === "takeProfit" ? "Empty is none." : undefined}
          error={faults[field] ?? faultOf(failure, field)} value={fields[field]} onChange={(e) => {
            const {value} = e.currentTarget;
            setFields((before) => ({...before, [field]: value}));
          }}/>)}
        {fault && !unknown && <Text size="sm" c="dimmed">{fault}</Text>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy}>{unknown ? "Close" : "Keep"}</Button>
          {!unknown && <Button type="submit" loading={busy} disabled={!body}>Change the order</Button>}
        </Group>
      </Stack>
    </form>
  );
}
