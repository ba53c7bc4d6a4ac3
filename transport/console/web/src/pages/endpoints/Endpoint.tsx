import {Anchor, Button, Group, Stack, TextInput} from "@mantine/core";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link, useLocation} from "wouter";
import {CallError, call, faultOf, tagOf} from "../../api/client";
import type {Endpoint as Record} from "../../api/types";
import {mayChange, mayTrade, pollWhileVisible, useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {TestEvent} from "../../outbound/TestEvent";
import {kindWords, nameOf, takesRows, targetOf} from "../../outbound/words";
import {Confirm, type Act} from "../../ui/Confirm";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure, Panel} from "../../ui/Panel";
import panel from "../../ui/Panel.module.css";
import {Time} from "../../ui/Time";
import {EndpointState, Receives} from "./Endpoints";
import styles from "./Endpoints.module.css";
import {Numbers} from "./Numbers";
import {Replace} from "./Replace";
import {Signature} from "./Signature";
import {Types} from "./Types";
import {visible} from "../../ui/outside";

/** Endpoint is the page of one endpoint. */
export function Endpoint({id}: {id: string}) {
  const queries = useQueryClient();
  const endpoint = useQuery({queryKey: ["endpoints", id], queryFn: () => call<Record>("GET", `endpoints/${encodeURIComponent(id)}`), refetchInterval: pollWhileVisible});
  const changed = () => queries.invalidateQueries({queryKey: ["endpoints"]});
  const {data} = endpoint;
  return (
    <>
      <Anchor component={Link} href="/endpoints" size="sm" w="max-content">All endpoints</Anchor>
      <div className={styles.head}>
        <h1 className="outside">{data ? nameOf(data) : "Endpoint"}</h1>
        {data && <EndpointState endpoint={data}/>}
      </div>
      {data && data.disabled !== "" && <div className={styles.alert} role="status">
        Nothing is sent: {visible(data.disabled)}. Its events wait. When the receiver takes events again, an owner resumes it.
      </div>}
      <Panel title="Endpoint" query={endpoint} actions={data && <Acts endpoint={data} changed={changed}/>}>{(e) => <Facts endpoint={e}/>}</Panel>
      {data && <Numbers id={id}/>}
      {data && <Test id={id}/>}
      {data?.kind === "webhook" && <Signature endpoint={data} changed={changed}/>}
    </>
  );
}

function Facts({endpoint}: {endpoint: Record}) {
  return (
    <dl className={styles.facts}>
      <dt>Sent to</dt><dd className="mono outside">{endpoint.url ?? targetOf(endpoint)}</dd>
      <dt>Kind</dt><dd>{kindWords[endpoint.kind]}</dd>
      <dt>Receives</dt><dd><Receives endpoint={endpoint}/></dd>
      <dt>Id</dt><dd className="mono">{endpoint.id}</dd>
      <dt>Made</dt><dd><Time at={endpoint.createdAt}/></dd>
    </dl>
  );
}

function Acts({endpoint, changed}: {endpoint: Record; changed: () => Promise<void>}) {
  const session = useSession();
  const stepUp = useStepUp();
  const [, navigate] = useLocation();
  const [act, setAct] = useState<Act>();
  const [editing, setEditing] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const path = `endpoints/${endpoint.id}`;
  const change = (paused: boolean) => async () => {
    await stepUp(() => call("PATCH", path, {paused}));
    await changed();
  };
  const pause = () => setAct({title: `Pause ${nameOf(endpoint)}`, button: "Pause", consequence: "Its events wait until it is resumed; none is lost while the service keeps events.", run: change(true)});
  const resume = () => setAct({title: `Resume ${nameOf(endpoint)}`, button: "Resume", consequence: "The events that have waited are sent now, oldest first.", run: change(false)});
  const remove = () => setAct({
    title: `Remove ${nameOf(endpoint)}`, button: "Remove", consequence: "Nothing is sent to it any more, and its waiting events are given up. It cannot be undone.",
    run: async () => {
      await stepUp(() => call("DELETE", path));
      navigate("/endpoints");
      await changed();
    },
  });
  const stopped = endpoint.paused || endpoint.disabled !== "";
  const owner = mayChange(session);
  const replaceable = {telegram: "Replace the token", sheet: "Replace the key", webhook: undefined, file: undefined}[endpoint.kind];
  return (
    <>
      {!stopped && (owner || mayTrade(session)) && <Button size="xs" variant="default" onClick={pause}>Pause</Button>}
      {stopped && owner && <Button size="xs" onClick={resume}>Resume</Button>}
      {owner && <Button size="xs" variant="default" onClick={() => setEditing(true)}>Change</Button>}
      {owner && replaceable && <Button size="xs" variant="default" onClick={() => setReplacing(true)}>{replaceable}</Button>}
      {owner && <Button size="xs" variant="default" onClick={remove}>Remove</Button>}
      <Replace opened={replacing} endpoint={endpoint} close={() => setReplacing(false)} changed={changed}/>
      <Edit opened={editing} endpoint={endpoint} close={() => setEditing(false)} changed={changed}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

// The status of a change of what somebody else has changed.
const CHANGED = 412;

interface EditProps {
  readonly opened: boolean;
  readonly endpoint: Record;
  readonly close: () => void;
  readonly changed: () => Promise<void>;
}

function Edit(props: EditProps) {
  const asking = useIsAsking();
  return <Dialog opened={props.opened} onClose={props.close} title="Change the endpoint" centered closeOnEscape={!asking}><EditForm {...props}/></Dialog>;
}

function EditForm({endpoint, close, changed}: EditProps) {
  const stepUp = useStepUp();
  const [name, setName] = useState(endpoint.name);
  const [url, setURL] = useState(endpoint.url ?? "");
  const [types, setTypes] = useState([...endpoint.types]);
  const path = `endpoints/${endpoint.id}`;
  const [read, setRead] = useState({endpoint, tag: tagOf(path), again: false});
  const {busy, failure, submit} = useSubmit(async () => {
    const was = read.endpoint;
    try {
      // Only what was changed: a new address enables a disabled endpoint.
      await stepUp(() => call("PATCH", path, {
        ...(name.trim() !== was.name && {name: name.trim()}), ...(url.trim() !== (was.url ?? "") && {url: url.trim()}), types,
      }, read.tag));
    } catch (thrown) {
      if (!(thrown instanceof CallError) || thrown.status !== CHANGED) throw thrown;
      const now = await call<Record>("GET", path);
      setRead({endpoint: now, tag: tagOf(path), again: true});
      return; // both versions are shown first
    }
    await changed();
    close();
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Name" maxLength={64} error={faultOf(failure, "name")} value={name} onChange={(e) => setName(e.currentTarget.value)} data-autofocus/>
        {endpoint.kind === "webhook" && <TextInput label="Address" description="Waiting events go to the new one too." type="url" required maxLength={2048} error={faultOf(failure, "url")}
          value={url} onChange={(e) => setURL(e.currentTarget.value)}/>}
        {!takesRows(endpoint.kind) && <Types kind={endpoint.kind} value={types} change={setTypes}/>}
        {read.again && <div role="status"><p>Somebody else has changed the endpoint meanwhile. It has now:</p>
          <p className="outside">{nameOf(read.endpoint)}{read.endpoint.url && <span className="mono"> {read.endpoint.url}</span>}, {read.endpoint.types.length === 0 ? "every event" : read.endpoint.types.join(", ")}</p>
          <p>Save again to replace it by what is typed here.</p></div>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end"><Button variant="default" onClick={close}>Cancel</Button><Button type="submit" loading={busy}>Save</Button></Group>
      </Stack>
    </form>
  );
}

function Test({id}: {id: string}) {
  if (!mayTrade(useSession())) return null;
  return (
    <section className={panel.panel} aria-label="Test event">
      <header className={panel.head}><h2>Test event</h2></header>
      <div className={styles.part}>
        <p className="dim">One event marked as a test is sent at once, without retries, also while the endpoint is paused.</p>
        <TestEvent id={id} button="Send a test event"/>
      </div>
    </section>
  );
}
