import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {faultOf} from "../api/client";
import {trading} from "../api/trading";
import type {Exchange, LeverageChange, Position} from "../api/types";
import {useReadAnew} from "../app/reading";
import {environmentIn, useSession} from "../app/session";
import {compare, type Decimal} from "../money/decimal";
import {shown, typed} from "../money/format";
import {Dialog} from "../ui/Dialog";
import {useSubmit} from "../ui/form";
import {Failure} from "../ui/Panel";

/** What the leverage is changed of. */
export interface Leveraged {
  readonly exchange: Exchange;
  readonly symbol: string;
  /** The highest that the venue permits, where it is known. */
  readonly most?: Decimal | null;
  readonly position?: Position | undefined;
}

interface Props {
  readonly of: Leveraged | undefined;
  readonly close: () => void;
}

/** Leverage is the dialog that changes the leverage of an instrument. */
export function Leverage({of, close}: Props) {
  return <Dialog opened={of !== undefined} onClose={close} title="Change the leverage" centered>{of && <Form of={of} close={close}/>}</Dialog>;
}

function Form({of: first, close}: {of: Leveraged; close: () => void}) {
  const [{exchange, symbol, most, position}] = useState(first); // what is asked does not change while it is read
  const environment = environmentIn(useSession(), exchange);
  const readAnew = useReadAnew();
  const [text, setText] = useState("");
  const [changed, setChanged] = useState<LeverageChange>();
  const leverage = text.trim() === "" ? undefined : typed(text);
  const fault = leverage?.fault ?? (leverage?.value !== undefined && most && compare(leverage.value, most) > 0 ? `At most ${shown(most)}.` : undefined);
  const {busy, failure, submit} = useSubmit(async () => {
    try {
      setChanged(await trading<LeverageChange>("POST", "positions/leverage", {exchange, symbol, leverage: leverage?.value}));
    } finally {
      void readAnew();
    }
  });
  if (changed) return (
    <Stack>
      <Text role="status">The leverage of {symbol} on {exchange} is {shown(changed.leverage)}{changed.previousLeverage && changed.previousLeverage !== changed.leverage ? `; it was ${shown(changed.previousLeverage)}` : ""}. The venue has confirmed it.</Text>
      <Group justify="flex-end"><Button onClick={close} data-autofocus>Done</Button></Group>
    </Stack>
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{position
          ? `Changes the leverage of the ${position.side} position of ${position.qty} ${symbol} on ${exchange}, and of later orders. The venue computes its margin and liquidation price again: a higher leverage ties up less margin and brings the liquidation closer.`
          : `Changes the leverage of later orders in ${symbol} on ${exchange}: how much margin a position ties up, and how close its liquidation is.`}</Text>
        <Text size="sm" c="dimmed">The venue may refuse it: some do while a position or an order is open, all do above their maximum{most ? ` of ${shown(most)}` : ""}, and when the balance does not cover the margin. The leverage then stays as it is.</Text>
        <TextInput label="Leverage" description={position?.leverage ? `Now ${shown(position.leverage)}.` : "The venue reports the present one with a position."} inputMode="decimal" autoComplete="off" maxLength={10} data-autofocus
          error={fault ?? faultOf(failure, "leverage")} value={text} onChange={(e) => setText(e.currentTarget.value)}/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy}>Keep</Button>
          <Button type="submit" loading={busy} disabled={leverage?.value === undefined || fault !== undefined}>Change the leverage · {environment}</Button>
        </Group>
      </Stack>
    </form>
  );
}
