import {Button, Group, PasswordInput, Stack, Text} from "@mantine/core";
import {useState} from "react";
import {call} from "../../api/client";
import type {Endpoint} from "../../api/types";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {KeyFile} from "../../outbound/KeyFile";
import type {Key} from "../../outbound/key";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";

interface Props {
  readonly opened: boolean;
  readonly endpoint: Endpoint;
  readonly close: () => void;
  readonly changed: () => Promise<void>;
}

/** Replace is the dialog that gives a chat another token of the bot, or a spreadsheet another key. */
export function Replace(props: Props) {
  const asking = useIsAsking();
  return (
    <Dialog opened={props.opened} onClose={props.close} title={props.endpoint.kind === "sheet" ? "Replace the key" : "Replace the token"} centered closeOnEscape={!asking}>
      <Form {...props}/>
    </Dialog>
  );
}

function Form({endpoint: {id, kind}, close, changed}: Props) {
  const stepUp = useStepUp();
  const [token, setToken] = useState("");
  const [key, setKey] = useState<Key>();
  const secret = kind === "sheet" ? key?.text ?? "" : token.trim();
  const {busy, failure, submit} = useSubmit(async () => {
    await stepUp(() => call("POST", `endpoints/${id}/rotate`, {secret}));
    await changed();
    close();
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>It is used at once, if the receiver accepts it. Events that wait are sent with it; an endpoint that was disabled is enabled.</Text>
        {kind === "sheet"
          ? <KeyFile value={key} change={setKey}/>
          : <PasswordInput label="Token of the bot" required autoComplete="off" maxLength={200} value={token} onChange={(e) => setToken(e.currentTarget.value)} data-autofocus/>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end"><Button variant="default" onClick={close}>Cancel</Button><Button type="submit" loading={busy} disabled={secret === ""}>Replace</Button></Group>
      </Stack>
    </form>
  );
}
