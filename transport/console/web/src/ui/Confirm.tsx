import {Button, Group, Stack} from "@mantine/core";
import type {ReactNode} from "react";
import {isOutcomeUnknown} from "../api/client";
import {useIsAsking} from "../app/step-up";
import {Dialog} from "./Dialog";
import {useSubmit} from "./form";
import {Failure} from "./Panel";

/** What is about to be done. */
export interface Act {
  readonly title: string;
  /** What will happen. */
  readonly consequence: ReactNode;
  /** The button that does it, such as "Revoke". */
  readonly button: string;
  readonly run: () => Promise<unknown>;
}

/** Confirm asks before something that cannot be undone. The safe button has the focus. */
export function Confirm({act, close}: {act: Act | undefined; close: () => void}) {
  const asking = useIsAsking();
  return (
    <Dialog opened={act !== undefined} onClose={close} title={act?.title} centered closeOnEscape={!asking}>
      {act && <Question act={act} close={close}/>}
    </Dialog>
  );
}

function Question({act, close}: {act: Act; close: () => void}) {
  const {busy, failure, submit} = useSubmit(async () => {
    await act.run();
    close();
  });
  const unknown = isOutcomeUnknown(failure); // it is not sent twice
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>{act.consequence}</div>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>{unknown ? "Close" : "Keep"}</Button>
          {!unknown && <Button type="submit" color="var(--down)" loading={busy}>{act.button}</Button>}
        </Group>
      </Stack>
    </form>
  );
}
