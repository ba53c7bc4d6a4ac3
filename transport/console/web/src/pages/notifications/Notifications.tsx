import {Anchor, Button} from "@mantine/core";
import {IconPlus} from "@tabler/icons-react";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState, type ReactNode} from "react";
import {Link} from "wouter";
import {call} from "../../api/client";
import type {Endpoint, Items} from "../../api/types";
import {mayChange, mayTrade, pollWhileVisible, useSession} from "../../app/session";
import {TestEvent} from "../../outbound/TestEvent";
import {nameOf, targetOf} from "../../outbound/words";
import {Dialog} from "../../ui/Dialog";
import {visible} from "../../ui/outside";
import {Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {EndpointState, Receives} from "../endpoints/Endpoints";
import endpoint from "../endpoints/Endpoints.module.css";
import {Files} from "./Files";
import {NewChat} from "./NewChat";
import {NewSheet} from "./NewSheet";
import {NewWorkbook} from "./NewWorkbook";
import styles from "./Notifications.module.css";
import {LastDelivery, Queue} from "./Sending";

type Kind = Exclude<Endpoint["kind"], "webhook">;

/** Notifications lists where people are told what happens: chats with a bot, spreadsheets and workbook files. */
export default function Notifications() {
  const session = useSession();
  const queries = useQueryClient();
  const endpoints = useQuery({queryKey: ["endpoints"], queryFn: () => call<Items<Endpoint>>("GET", "endpoints"), refetchInterval: pollWhileVisible});
  const [making, setMaking] = useState<Kind>();
  const [tested, setTested] = useState<Endpoint>();
  const created = () => void queries.invalidateQueries({queryKey: ["endpoints"]});
  const close = () => setMaking(undefined);
  const disabled = endpoints.data?.items.filter((e) => e.kind !== "webhook" && e.disabled !== "") ?? [];
  const add = (kind: Kind, label: string) => mayChange(session) && <Button size="xs" leftSection={<IconPlus size={14}/>} onClick={() => setMaking(kind)}>{label}</Button>;
  const panel = (kind: Kind, title: string, label: string, text: string, columns: readonly Column<Endpoint>[]) => (
    <Panel title={title} query={endpoints} actions={add(kind, label)} empty={{when: ({items}) => items.every((each) => each.kind !== kind), text}}>
      {({items}) => <Table caption={title} rows={items.filter((each) => each.kind === kind)} id={({id}) => id} columns={columns} faded={(e) => e.paused || e.disabled !== ""}/>}
    </Panel>
  );
  const test: Column<Endpoint>[] = mayTrade(session) ? [{title: "Actions", acts: true, cell: (e) => e.kind !== "file" && <Button size="xs" variant="default" aria-label={`Test ${nameOf(e)}`} onClick={() => setTested(e)}>Test</Button>}] : [];
  const columns = (title: string, target: (endpoint: Endpoint) => ReactNode) => [name, {title, cell: target}, ...sending, ...test];
  return (
    <>
      <h1>Notifications</h1>
      {disabled.map((e) => <div key={e.id} className={endpoint.alert} role="status">
        Nothing is sent to <Link href={`/endpoints/${e.id}`} className="outside">{nameOf(e)}</Link>: <span className="outside">{visible(e.disabled)}</span>. Its events wait until an owner resumes it.
      </div>)}
      <div className={styles.lists}>
        {panel("telegram", "Messaging bot", "New chat", "No chat yet. A bot of yours in Telegram writes to a person, a group or a channel: fills, closed positions, alerts, and whatever you choose.",
          columns("Chat", (e) => <span className="mono outside">{targetOf(e)}</span>))}
        {panel("sheet", "Spreadsheet", "New spreadsheet", "No spreadsheet yet. Each closed trade becomes a row of a Google spreadsheet, with its prices, fee and result.",
          columns("Spreadsheet", (e) => <Sheet endpoint={e}/>))}
        {panel("file", "Workbook file", "New workbook", "No workbook yet. Each closed trade becomes a row of an .xlsx file that is kept here and can be downloaded.",
          columns("Files", (e) => <Files endpoint={e}/>))}
      </div>
      <NewChat opened={making === "telegram"} close={close} created={created}/>
      <NewSheet opened={making === "sheet"} close={close} created={created}/>
      <NewWorkbook opened={making === "file"} close={close} created={created}/>
      <Test endpoint={tested} close={() => setTested(undefined)}/>
    </>
  );
}

const name: Column<Endpoint> = {title: "Name", cell: (e) => <Anchor component={Link} href={`/endpoints/${e.id}`} className="outside" fw={600}>{nameOf(e)}</Anchor>};
const sending: readonly Column<Endpoint>[] = [
  {title: "Receives", cell: (e) => <Receives endpoint={e}/>}, {title: "Queue", cell: (e) => <Queue endpoint={e}/>},
  {title: "Last delivery", cell: (e) => <LastDelivery endpoint={e}/>}, {title: "State", cell: (e) => <EndpointState endpoint={e}/>},
];

function Sheet({endpoint}: {endpoint: Endpoint}) {
  const id = targetOf(endpoint);
  return <Anchor href={`https://docs.google.com/spreadsheets/d/${encodeURIComponent(id)}`} target="_blank" rel="noreferrer" className="mono" title={id}>{id.slice(0, 12)}…</Anchor>;
}

function Test({endpoint, close}: {endpoint: Endpoint | undefined; close: () => void}) {
  return (
    <Dialog opened={endpoint !== undefined} onClose={close} title={endpoint && <span className="outside">Test {nameOf(endpoint)}</span>} centered>
      {endpoint && <TestEvent id={endpoint.id} button={endpoint.kind === "sheet" ? "Write a test row" : "Send a test message"}/>}
    </Dialog>
  );
}
