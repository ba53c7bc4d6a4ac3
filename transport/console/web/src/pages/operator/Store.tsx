import {Button} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call} from "../../api/client";
import type {Rotated, StoreState, Verified} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {useStepUp} from "../../app/step-up";
import {micros} from "../../latency/words";
import {Confirm, type Act} from "../../ui/Confirm";
import {useSubmit} from "../../ui/form";
import {Failure, Panel} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import {State} from "../../ui/State";
import {Time} from "../../ui/Time";
import {Figures} from "./Figures";
import styles from "./Operator.module.css";
import {bytes, count} from "./words";

/** Store shows where all durable data is, and has what an operator does with it: backup, sealing key, chain of the journal. */
export default function Store() {
  const store = useReading(["store"], () => call<StoreState>("GET", "store"), SLOW_MILLISECONDS);
  return (
    <>
      <h1>Store</h1>
      <Panel title="Store" query={store}>{(data) => <Facts store={data}/>}</Panel>
      <Backup/>
      <Seal/>
      <Chain/>
    </>
  );
}

function Facts({store}: {store: StoreState}) {
  const {commits} = store;
  const none = commits.groups === 0;
  return (
    <>
      <Figures of={[
        ["Commits", store.ready ? <State tone="good" mark="●">taken</State> : <State tone="bad">rejected</State>],
        ["Size", bytes(store.bytes)],
        ["Free", bytes(store.freeBytes), "of its file system"],
        ["Commit, half", none ? "–" : micros(commits.p50Us), `of the newest ${count(commits.groups)}`],
        ["Commit, 99 of 100", none ? "–" : micros(commits.p99Us), none ? undefined : `at most ${micros(commits.maxUs)}`],
        ["Last backup", store.lastBackupAt ? <Time at={store.lastBackupAt} relative/> : "none known"],
      ]}/>
      {store.reason !== null && <p className={`${styles.note} ${store.ready ? styles.warning : styles.bad}`} role="status">{store.reason}</p>}
      <p className={styles.note}>Secrets are sealed with the key <span className="mono">{store.keyFingerprint}</span>.</p>
    </>
  );
}

function Backup() {
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const [act, setAct] = useState<Act>();
  const ask = () => setAct({
    title: "Download a backup", button: "Download",
    consequence: "The file has all durable data of all customers. Secrets in it stay sealed; keep the key file apart from it. The download is recorded in the journal.",
    run: async () => {
      await stepUp(() => call("POST", "backup"));
      download("/console/api/backup");
      await queries.invalidateQueries({queryKey: ["store"]});
    },
  });
  return (
    <Section title="Backup">
      <p className="dim">A consistent copy while the service runs, for <span className="mono">venuegate restore</span>.</p>
      <Button mt="sm" size="xs" variant="default" onClick={ask}>Download a backup</Button>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </Section>
  );
}

// download lets the browser write what a call answers into a file: it may be larger than the
// memory of a page.
function download(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}

function Seal() {
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const [act, setAct] = useState<Act>();
  const [done, setDone] = useState<Rotated>();
  const ask = () => setAct({
    title: "Seal with a new key", button: "Seal again",
    consequence: "A new key is added to the key file, and every secret is sealed with it. Copy the key file afterwards: a copy from before cannot open what is sealed from now on.",
    run: async () => {
      setDone(undefined);
      setDone(await stepUp(() => call<Rotated>("POST", "rotate-key")));
      await queries.invalidateQueries({queryKey: ["store"]});
    },
  });
  return (
    <Section title="Sealing key">
      <p className="dim">Credentials of accounts, secrets of channels and endpoints, and second steps of users are sealed.</p>
      <Button mt="sm" size="xs" variant="default" onClick={ask}>Seal with a new key</Button>
      {done && <p role="status">Sealed: {count(done.accounts)} accounts, {count(done.hooks)} channels, {count(done.endpoints)} endpoints, {count(done.users)} users.</p>}
      <Confirm act={act} close={() => setAct(undefined)}/>
    </Section>
  );
}

function Chain() {
  const [checked, setChecked] = useState<Verified>();
  const {busy, failure, run} = useSubmit(async () => setChecked(await call<Verified>("GET", "journal/verify")));
  return (
    <Section title="Chain of the journal">
      <p className="dim">Each row of the installation’s journal has the hash of the one before. The check reads all of them.</p>
      <Button mt="sm" size="xs" variant="default" loading={busy} onClick={run}>Check the chain</Button>
      {failure && <Failure error={failure}/>}
      {checked && !failure && <div role="status"><Outcome of={checked}/></div>}
    </Section>
  );
}

function Outcome({of: {rows, break: broken}}: {of: Verified}) {
  if (!broken) return <p><State tone="good">Intact: {count(rows)} rows.</State></p>;
  return (
    <>
      <p><State tone="bad">Broken at row {count(broken.seq)}: {broken.reason}.</State></p>
      {broken.id !== "" && <p className="mono">{broken.id}</p>}
    </>
  );
}
