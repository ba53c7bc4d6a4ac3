import {Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import type {Key, Scope} from "../../api/types";
import {useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";

const scopes: readonly {readonly scope: Scope; readonly opens: string}[] = [
  {scope: "read", opens: "Market data: instruments, books, trades, candles."},
  {scope: "account", opens: "Orders, fills, positions and balances of your accounts."},
  {scope: "trade", opens: "Placing, changing and cancelling orders; leverage."},
];

const lifetimes = [
  {value: "30", label: "30 days", days: 30}, {value: "90", label: "90 days", days: 90},
  {value: "365", label: "1 year", days: 365}, {value: "never", label: "Unlimited", days: 0},
];
const DAY_MILLISECONDS = 86_400_000;

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: (key: Key) => void;
}

/** NewKey is the dialog that makes a key. */
export function NewKey(props: Props) {
  const asking = useIsAsking();
  return <Dialog opened={props.opened} onClose={props.close} title="New key" centered size="md" closeOnEscape={!asking}><Form {...props}/></Dialog>;
}

function Form({close, created}: Props) {
  const {customer} = useSession();
  const stepUp = useStepUp();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<string[]>(["read", "account"]);
  const [lifetime, setLifetime] = useState("90");
  const [allow, setAllow] = useState("");
  const {busy, failure, submit} = useSubmit(async () => created(await stepUp(() => call<Key>("POST", "keys", {
    customer, name: name.trim(), scopes: chosen, allow: allow.split(/[\s,]+/).filter(Boolean), ...expiry(lifetime),
  }))));

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Name" description="What it is for, such as the name of the program." required error={faultOf(failure, "name")} maxLength={64}
          value={name} onChange={(e) => setName(e.currentTarget.value)} data-autofocus/>
        <Checkbox.Group label="It may" value={chosen} onChange={setChosen}>
          <Stack gap="xs" mt={6}>{scopes.map(({scope, opens}) => <Checkbox key={scope} value={scope} label={scope} description={opens}/>)}</Stack>
        </Checkbox.Group>
        <div>
          <Text size="sm" fw={500} mb={4}>Lifetime</Text>
          <SegmentedControl fullWidth aria-label="Lifetime" data={lifetimes} value={lifetime} onChange={setLifetime}/>
        </div>
        <TextInput label="Only from these addresses" description="Addresses or prefixes such as 10.0.0.0/8; empty is any." error={faultOf(failure, "allow")}
          value={allow} onChange={(e) => setAllow(e.currentTarget.value)}/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={busy} disabled={name.trim() === "" || chosen.length === 0}>Make the key</Button>
        </Group>
      </Stack>
    </form>
  );
}

function expiry(lifetime: string): {expiresAt?: string} {
  const days = lifetimes.find(({value}) => value === lifetime)?.days ?? 0;
  return days > 0 ? {expiresAt: new Date(Date.now() + days * DAY_MILLISECONDS).toISOString()} : {};
}
