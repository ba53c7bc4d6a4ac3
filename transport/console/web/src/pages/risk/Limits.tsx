import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import type {VenueAccount} from "../../api/types";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {useAccountsChanged} from "../../risk/read";
import {CURRENCY} from "../../risk/words";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {draftOf, inputOf, mistakesOf} from "./limits";

/** Limits is the dialog that changes the limits of an account. The service asks for password and code unless each limit becomes lower. */
export function Limits({account, close}: {account: VenueAccount | undefined; close: () => void}) {
  const asking = useIsAsking();
  return (
    <Dialog opened={account !== undefined} onClose={close} title={`Limits of ${account?.exchange ?? ""}`} centered closeOnEscape={!asking}>
      {account && <Form account={account} close={close}/>}
    </Dialog>
  );
}

function Form({account: first, close}: {account: VenueAccount; close: () => void}) {
  const [account] = useState(first); // what is changed does not move while it is typed
  const stepUp = useStepUp();
  const changed = useAccountsChanged();
  const [draft, setDraft] = useState(() => draftOf(account.limits));
  const {busy, failure, submit} = useSubmit(async () => {
    await stepUp(() => call("PATCH", `accounts/${account.id}`, {limits: inputOf(draft)}));
    await changed();
    close();
  });
  const mistakes = mistakesOf(draft);
  const field = (name: keyof typeof draft) => ({
    value: draft[name], maxLength: 40, autoComplete: "off", error: mistakes[name] ?? faultOf(failure, `limits.${name}`),
    onChange: (e: {currentTarget: {value: string}}) => setDraft({...draft, [name]: e.currentTarget.value}),
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">An empty field is no limit. To lower a limit is done at once; to raise or remove one needs your password.</Text>
        <TextInput label={`Daily loss, ${CURRENCY}`} description="When it is reached, only orders that reduce a position are accepted until 00:00 UTC." inputMode="decimal" data-autofocus {...field("dailyLoss")}/>
        <TextInput label={`Value of an order, ${CURRENCY}`} description="Orders that reduce a position are not limited." inputMode="decimal" {...field("maxOrderNotional")}/>
        <TextInput label="Open orders" description="Without those that protect a position." inputMode="numeric" {...field("maxOpenOrders")}/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy}>Cancel</Button>
          <Button type="submit" loading={busy} disabled={Object.values(mistakes).some(Boolean)}>Save</Button>
        </Group>
      </Stack>
    </form>
  );
}
