import {Button, Group, SegmentedControl, Stack} from "@mantine/core";
import {useState} from "react";
import {call, isOutcomeUnknown} from "../../api/client";
import type {Key} from "../../api/types";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";

const overlaps = [
  {value: "0", label: "None", seconds: 0}, {value: "1", label: "1 hour", seconds: 3_600},
  {value: "8", label: "8 hours", seconds: 28_800}, {value: "24", label: "24 hours", seconds: 86_400},
];

interface Props {
  readonly of: Key | undefined;
  readonly close: () => void;
  readonly created: (key: Key) => void;
}

/** Rotate is the dialog that makes a key instead of another, which stays valid for a while. */
export function Rotate({of, close, created}: Props) {
  const asking = useIsAsking();
  return (
    <Dialog opened={of !== undefined} onClose={close} title={`Rotate ${of?.name ?? ""}`} centered size="md" closeOnEscape={!asking}>
      {of && <Form of={of} close={close} created={created}/>}
    </Dialog>
  );
}

function Form({of, close, created}: Props & {of: Key}) {
  const stepUp = useStepUp();
  const [overlap, setOverlap] = useState("24");
  const {busy, failure, submit} = useSubmit(async () => created(await stepUp(() => call<Key>("POST", `keys/${of.id}/rotate`, {
    overlapSec: overlaps.find(({value}) => value === overlap)?.seconds ?? 0,
  }))));
  return (
    <form onSubmit={submit}>
      <Stack>
        <p>A new key with the same name, permissions, addresses and end is made and shown once. The previous key stays valid for the overlap; its streams are closed now and may be opened again until then.</p>
        <div>
          <p className="dim">The previous key stays valid for</p>
          <SegmentedControl fullWidth aria-label="Overlap" data={overlaps.map(({value, label}) => ({value, label}))} value={overlap} onChange={setOverlap}/>
        </div>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>Cancel</Button>
          {!isOutcomeUnknown(failure) && <Button type="submit" loading={busy}>Rotate</Button>}
        </Group>
      </Stack>
    </form>
  );
}
