import {Button, Group, Stack, Text} from "@mantine/core";
import {useState} from "react";
import {isOutcomeUnknown} from "../../api/client";
import {trading} from "../../api/trading";
import type {CancelResult, Items, Order} from "../../api/types";
import {useReadAnew} from "../../app/reading";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  /** Those that are shown, of which there may be more. */
  readonly orders: readonly Order[];
  readonly more: boolean;
  readonly filters: Readonly<Record<string, string>>;
}

/** CancelAll cancels all orders of a venue, of an instrument, or all there are, and then shows the result of each. */
export function CancelAll(props: Props) {
  return <Dialog opened={props.opened} onClose={props.close} title="Cancel all orders" centered size="lg">{props.opened && <Form {...props}/>}</Dialog>;
}

function Form({close, orders, more, filters}: Props) {
  const readAnew = useReadAnew();
  const [results, setResults] = useState<readonly CancelResult[]>();
  const {exchange, symbol, ...others} = filters;
  const {busy, failure, submit} = useSubmit(async () => {
    try {
      setResults((await trading<Items<CancelResult>>("DELETE", "orders", {exchange, symbol})).items);
    } finally {
      void readAnew();
    }
  });
  const unknown = isOutcomeUnknown(failure);
  if (results) return (
    <Stack>
      <Text role="status">{summary(results)}</Text>
      <Table caption="Results" columns={columns} rows={results} id={(one) => one.orderId}/>
      <Group justify="flex-end"><Button onClick={close} data-autofocus>Close</Button></Group>
    </Stack>
  );
  const impossible = Object.keys(others).length > 0;
  const venues = new Set(orders.map((order) => order.exchange)).size;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{impossible ? "All orders can be cancelled by venue and instrument only. Remove the other filters first."
          : `Cancels ${more ? "more than " : ""}${orders.length} ${orders.length === 1 ? "order" : "orders"}${symbol ? ` in ${symbol}` : ""} on ${exchange ?? (venues === 1 ? "1 venue" : `${venues} venues`)}, with the stop losses and take profits among them, and what arrives meanwhile.`}</Text>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>{unknown ? "Close" : "Keep"}</Button>
          {!unknown && !impossible && <Button type="submit" color="var(--down)" loading={busy}>Cancel all</Button>}
        </Group>
      </Stack>
    </form>
  );
}

function summary(results: readonly CancelResult[]): string {
  if (results.length === 0) return "There was no open order.";
  const kinds = [...new Set(results.map((one) => one.result))];
  return kinds.map((kind) => `${results.filter((one) => one.result === kind).length} ${kind.replaceAll("_", " ")}`).join(", ");
}

const columns: readonly Column<CancelResult>[] = [
  {title: "Order", cell: (one) => <span className="mono">{one.orderId}</span>},
  {title: "Instrument", cell: (one) => <>{one.symbol} <span className="dim">{one.exchange}</span></>},
  {title: "Result", cell: (one) => <>{one.result.replaceAll("_", " ")}{one.error && <span className="dim"> · {one.error.message}</span>}</>},
];
