import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import type {Endpoint} from "../../api/types";
import {useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Columns} from "./Columns";
import {workbookOf} from "./words";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: () => void;
}

/** NewWorkbook is the dialog that makes a workbook file. */
export function NewWorkbook(props: Props) {
  const asking = useIsAsking();
  return <Dialog opened={props.opened} onClose={props.close} title="New workbook" centered size="lg" closeOnEscape={!asking}><Form {...props}/></Dialog>;
}

function Form({close, created}: Props) {
  const {customer} = useSession();
  const stepUp = useStepUp();
  const [text, setText] = useState("");
  const target = workbookOf(text);
  const {busy, failure, submit} = useSubmit(async () => {
    await stepUp(() => call<Endpoint>("POST", "endpoints", {customer, kind: "file", target}));
    created();
    close();
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>The service keeps a file to which each closed trade is added as a row. It can be downloaded here at any time, and is part of a backup.</Text>
        <TextInput label="Name of the file" placeholder="trades.xlsx" required maxLength={64} value={text} onChange={(e) => setText(e.currentTarget.value)} data-autofocus
          error={(text.trim() !== "" && target === undefined && "Letters, digits, dots, dashes and underscores.") || faultOf(failure, "target")}/>
        <Columns/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end"><Button variant="default" onClick={close}>Cancel</Button><Button type="submit" loading={busy} disabled={target === undefined}>Make the workbook</Button></Group>
      </Stack>
    </form>
  );
}
