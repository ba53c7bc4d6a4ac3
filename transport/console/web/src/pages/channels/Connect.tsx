import {Button, Group, SegmentedControl, Stack, Text} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call, secondsOf} from "../../api/client";
import type {Hook} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Confirm, type Act} from "../../ui/Confirm";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {Section} from "../../ui/Section";
import {Time} from "../../ui/Time";
import {Examples} from "./Examples";

/** secretsOf returns what the answer that made the secrets of a channel holds of them. */
export function secretsOf(made: Hook, title: string): Secrets {
  const values: [string, string][] = [];
  if (made.kind === "chart" && made.url) values.push(["Address", made.url]);
  if (made.secret) values.push(["Secret", made.secret]);
  if (made.channelToken) values.push(["channelToken", made.channelToken]);
  return {title, values, more: <Examples hook={made} secret={made.secret ?? made.channelToken}/>};
}

/** Connect shows what the channel is connected with, and replaces its secret. */
export function Connect({hook}: {hook: Hook}) {
  const owner = mayChange(useSession());
  const queries = useQueryClient();
  const [rotating, setRotating] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const asking = useIsAsking();
  const stepUp = useStepUp();
  const chart = hook.kind === "chart";
  const [act, setAct] = useState<Act>();
  const made = (hook: Hook, what: string) => {
    setSecrets(secretsOf(hook, `New ${what} of ${hook.name}`));
    void queries.invalidateQueries({queryKey: ["hooks"]});
  };
  const rotated = (rotated: Hook) => {
    setRotating(false);
    made(rotated, chart ? "token" : "secret");
  };
  const newAddress: Act = {
    title: `New address of ${hook.name}`, button: "Make the address",
    consequence: "The old address answers 404 from then on: put the new one into every alert. The token stays.",
    run: async () => made(await stepUp(() => call<Hook>("POST", `hooks/${hook.id}/address`)), "address"),
  };
  return (
    <Section title="Connect">
      <Stack>
        <Examples hook={hook}/>
        {hook.previousUntil && <Text size="sm">The old secret is valid until <Time at={hook.previousUntil} relative/>.</Text>}
        {owner && <Group>
          {chart && <Button size="xs" variant="default" onClick={() => setAct(newAddress)}>New address</Button>}
          <Button size="xs" variant="default" onClick={() => setRotating(true)}>{chart ? "New token" : "New secret"}</Button></Group>}
      </Stack>
      <Dialog opened={rotating} onClose={() => setRotating(false)} title={chart ? "New token" : "New secret"} centered closeOnEscape={!asking}>
        <Rotation hook={hook} rotated={rotated} close={() => setRotating(false)}/>
      </Dialog>
      <Confirm act={act} close={() => setAct(undefined)}/>
      <SecretsOnce secrets={secrets} close={() => setSecrets(undefined)}/>
    </Section>
  );
}

const overlaps = [{value: "0", label: "None"}, {value: "3600", label: "1 hour"}, {value: "86400", label: "24 hours"}];

function Rotation({hook, rotated, close}: {hook: Hook; rotated: (made: Hook) => void; close: () => void}) {
  const stepUp = useStepUp();
  const [overlap, setOverlap] = useState("3600");
  const chart = hook.kind === "chart";
  const {busy, failure, submit} = useSubmit(async () =>
    rotated(await stepUp(() => call<Hook>("POST", `hooks/${hook.id}/rotate`, chart ? {} : {overlapSec: secondsOf(overlap)}))));
  return (
    <form onSubmit={submit}>
      <Stack>
        {chart ? <Text>The old token is refused from then on: put the new one into every alert.</Text> : <div>
          <Text size="sm" fw={500} mb={4}>The old secret stays valid for</Text>
          <SegmentedControl fullWidth aria-label="Overlap" data={overlaps} value={overlap} onChange={setOverlap}/>
          {hook.previousUntil && <Text size="sm" mt={6}>The secret before the present one ends at once.</Text>}
        </div>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy}>Cancel</Button>
          <Button type="submit" loading={busy}>{chart ? "Make the token" : "Make the secret"}</Button>
        </Group>
      </Stack>
    </form>
  );
}
