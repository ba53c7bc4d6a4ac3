import {Button, Group, Stack, Text} from "@mantine/core";
import type {Order} from "../api/types";
import {Amount} from "../ui/Amount";
import styles from "./Orders.module.css";
import {Status} from "./Status";
import {UNKNOWN_TEXT} from "./words";

/** Sent shows in a dialog what has become of the order that it sent. */
export function Sent({order, close}: {order: Order; close: () => void}) {
  return (
    <Stack>
      <Text component="div" role="status"><Status order={order}/> {order.filledQty !== "0" && <>· <Amount value={order.filledQty}/> at <Amount value={order.avgPrice}/></>}</Text>
      {order.status === "unknown" && <p className={styles.note}>{UNKNOWN_TEXT}</p>}
      {order.error && <p className={styles.alarm}>{order.error.message}</p>}
      <Text size="sm" className="mono">{order.orderId}</Text>
      <Group justify="flex-end"><Button onClick={close} data-autofocus>Done</Button></Group>
    </Stack>
  );
}

/** Lost shows in a dialog that no answer to its order has come. */
export function Lost({requestId}: {requestId: string}) {
  return (
    <div className={styles.note} role="status">
      <p>Outcome not received. The order is looked up by its request id, and not sent again.</p>
      <p className="mono outside">{requestId}</p>
    </div>
  );
}
