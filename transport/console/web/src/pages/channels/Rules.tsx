import {Button, Group, Stack} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call, tagOf} from "../../api/client";
import type {Hook} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import type {ChangeHook} from "./Channel";
import {RulesFields} from "./RulesFields";
import styles from "./Channels.module.css";
import {changeOf, conflictsOf, draftOf, mistakeOf, type RulesDraft} from "./rules";

/** Rules is the form of a channel's rules. What is typed stays while the channel is read again. */
export function Rules({hook, change}: {hook: Hook; change: ChangeHook}) {
  const owner = mayChange(useSession());
  const queries = useQueryClient();
  const stored = draftOf(hook);
  const [base, setBase] = useState(stored);
  const [typed, setTyped] = useState<Partial<RulesDraft>>({});
  const draft = {...stored, ...typed};
  const changes = (Object.keys(typed) as (keyof RulesDraft)[]).filter((name) => typed[name] !== stored[name]).length;
  const elsewhere = changes > 0 && JSON.stringify(base) !== JSON.stringify(stored);
  const {busy, failure, submit} = useSubmit(async () => {
    const now = await call<Hook>("GET", `hooks/${hook.id}`);
    queries.setQueryData(["hooks", hook.id], now);
    if (JSON.stringify(draftOf(now)) !== JSON.stringify(stored)) return; // what has changed is shown first
    await change(changeOf(draft, hook.kind), tagOf(`hooks/${hook.id}`));
    setTyped({});
  });
  const set = (one: Partial<RulesDraft>) => {
    if (changes === 0) setBase(stored);
    setTyped({...typed, ...one});
  };
  const wrong = mistakeOf("maxQty", draft) ?? mistakeOf("maxAgeSeconds", draft);
  return (
    <Section title="Rules">
      <form onSubmit={submit}>
        <Stack>
          <RulesFields kind={hook.kind} draft={draft} set={set} failure={failure} disabled={!owner}/>
          {elsewhere && <div role="status"><p>Somebody else has changed these rules meanwhile. The fields that you have not touched show theirs; those that you have touched keep yours.</p>
            <ul className={styles.list}>{conflictsOf(base, stored, draft).map(({name, theirs, yours}) => <li key={name}>{name}: theirs <span className="mono">{theirs}</span>, yours <span className="mono">{yours}</span></li>)}</ul></div>}
          {failure && <Failure error={failure}/>}
          {owner && <Group justify="flex-end">
            <span className="dim">{changes === 0 ? "" : changes === 1 ? "1 change" : `${changes} changes`}</span>
            <Button variant="default" disabled={changes === 0 || busy} onClick={() => setTyped({})}>Discard</Button>
            <Button type="submit" loading={busy} disabled={changes === 0 || wrong !== undefined}>Save the rules</Button>
          </Group>}
        </Stack>
      </form>
    </Section>
  );
}
