import {Button, Group, NativeSelect, Stack, TextInput} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import type {Endpoint, Items} from "../../api/types";
import {useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Types} from "./Types";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: (endpoint: Endpoint) => void;
}

/** What is read of a channel whose secret may sign. */
export interface Signer {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/** NewEndpoint is the dialog that makes an endpoint for signed events. */
export function NewEndpoint(props: Props) {
  const asking = useIsAsking();
  return <Dialog opened={props.opened} onClose={props.close} title="New endpoint" centered size="md" closeOnEscape={!asking}><Form {...props}/></Dialog>;
}

function Form({close, created}: Props) {
  const {customer} = useSession();
  const stepUp = useStepUp();
  const [url, setURL] = useState("");
  const [name, setName] = useState("");
  const [types, setTypes] = useState<string[]>([]);
  const [hookId, setHook] = useState("");
  const hooks = useQuery({queryKey: ["hooks"], queryFn: () => call<Items<Signer>>("GET", "hooks")});
  const {busy, failure, submit} = useSubmit(async () => created(await stepUp(() => call<Endpoint>("POST", "endpoints", {
    customer, url: url.trim(), name: name.trim(), types, ...(hookId && {hookId}),
  }))));
  const signers = [{value: "", label: "A secret of its own, shown once"},
    ...(hooks.data?.items ?? []).filter(({kind}) => kind === "webhook").map((hook) => ({value: hook.id, label: `The secret of the channel ${hook.name}`}))];
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Address" description="Events are sent to it by POST, as JSON." placeholder="https://example.com/events" required type="url" maxLength={2048}
          error={faultOf(failure, "url")} value={url} onChange={(e) => setURL(e.currentTarget.value)} data-autofocus/>
        <TextInput label="Name" description="May be empty; then it is called by its address." maxLength={64} error={faultOf(failure, "name")}
          value={name} onChange={(e) => setName(e.currentTarget.value)}/>
        <Types kind="webhook" value={types} change={setTypes}/>
        <NativeSelect label="Signed with" data={signers} value={hookId} onChange={(e) => setHook(e.currentTarget.value)} error={faultOf(failure, "hookId")}/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={busy} disabled={url.trim() === ""}>Make the endpoint</Button>
        </Group>
      </Stack>
    </form>
  );
}
