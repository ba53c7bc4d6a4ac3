import {Checkbox} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {call} from "../../api/client";
import type {Preferences} from "../../api/types";
import {PREFERENCES, usePreferences} from "../../app/preferences";
import {useSubmit} from "../../ui/form";
import {Failure, Waiting} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import styles from "./Shortcuts.module.css";

const keys: readonly (readonly [page: string, keys: readonly (readonly [key: string, act: string])[]])[] = [
  ["Lists", [["j", "next row"], ["k", "previous row"]]],
  ["Orders", [["x", "cancel, after a question"], ["e", "change"], ["c", "copy the id"]]],
  ["Positions", [["x", "close, after a question"]]],
  ["Trade", [["b", "buy"], ["s", "sell"], ["p", "best bid and ask, read aloud"], ["t", "chart as a table"]]],
  ["Overview", [["1 … 9", "open what needs you"]]],
  ["Channels", [["d", "dry run"], ["t", "test mode; its end after a question"]]],
];

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
      <dl className={styles.keys}>{keys.map(([page, all]) => (
        <div key={page}><dt>{page}</dt>{all.map(([key, act]) => <dd key={key}><kbd>{key}</kbd> {act}</dd>)}</div>))}</dl>
    </Section>
  );
}
