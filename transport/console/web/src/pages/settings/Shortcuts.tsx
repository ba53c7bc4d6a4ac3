import {Checkbox} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {call} from "../../api/client";
import type {Preferences} from "../../api/types";
import {PREFERENCES, usePreferences} from "../../app/preferences";
import {Keys} from "../../palette/Keys";
import {useSubmit} from "../../ui/form";
import {Failure, Waiting} from "../../ui/Panel";
import {Section} from "../../ui/Section";

/** Shortcuts switches the single keys on and off, and lists them. */
export function Shortcuts() {
  const queries = useQueryClient();
  const preferences = usePreferences();
  const {busy, failure, run} = useSubmit(async () => {
    queries.setQueryData(PREFERENCES, await call<Preferences>("PATCH", "preferences", {shortcuts: !preferences.data?.shortcuts}));
  });
  return (
    <Section title="Shortcuts">
      {preferences.error && <Failure error={preferences.error} retry={() => void preferences.refetch()}/>}
      {!preferences.data && !preferences.error && <Waiting/>}
      {preferences.data && <Checkbox label="Single keys" description="They do nothing while a field has the focus or a dialog is open." checked={preferences.data.shortcuts} disabled={busy} onChange={run}/>}
      {failure && <Failure error={failure}/>}
      <Keys/>
    </Section>
  );
}
