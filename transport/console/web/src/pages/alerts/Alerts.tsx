import {Anchor, Button, Group} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link} from "wouter";
import {call} from "../../api/client";
import type {Alert, Items, JournalRow, Page} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {mayTrade, useSession} from "../../app/session";
import {shown} from "../../money/format";
import {Amount} from "../../ui/Amount";
import {Confirm, type Act} from "../../ui/Confirm";
import {useSubmit} from "../../ui/form";
import {visible} from "../../ui/outside";
import {Failure, Panel} from "../../ui/Panel";
import panel from "../../ui/Panel.module.css";
import {State} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import styles from "./Alerts.module.css";
import {NewAlert} from "./NewAlert";
import {fields, firingOf, operators, type Condition, type Firing} from "./words";

const FIRINGS = 50;

/** Alerts lists the price alerts and when they fired, and makes new ones. */
export default function Alerts() {
  const trades = mayTrade(useSession());
  const queries = useQueryClient();
  const [act, setAct] = useState<Act>();
  const alerts = useReading(["alerts"], () => call<Items<Alert>>("GET", "alerts"), FAST_MILLISECONDS);
  const firings = useReading(["journal", "alert.fired"], () => call<Page<JournalRow>>("GET", `journal?kind=alert.fired&limit=${FIRINGS}`), FAST_MILLISECONDS);
  const changed = () => queries.invalidateQueries({queryKey: ["alerts"]});
  const acts: Column<Alert> = {title: "Actions", acts: true, cell: (alert) => <Acts alert={alert} ask={setAct} changed={changed}/>};
  return (
    <>
      <h1>Alerts</h1>
      {trades && <section className={panel.panel} aria-label="Make an alert">
        <header className={panel.head}><h2>Make an alert</h2></header>
        <NewAlert created={changed}/>
      </section>}
      <Panel title="Alerts" query={alerts} empty={{when: ({items}) => items.length === 0, text: <>No alert yet. An alert fires when a price reaches a value; <Link href="/notifications">a chat</Link> or <Link href="/endpoints">an endpoint</Link> receives it.</>}}>
        {({items}) => <Table caption="Alerts" rows={newestFirst(items)} id={({id}) => id} faded={({status}) => status !== "armed"} columns={trades ? [...columns, acts] : columns}/>}
      </Panel>
      <Panel title="Fired" query={firings} actions={<Link href="/journal?kind=alert.fired">All in the journal</Link>} empty={{when: ({items}) => items.length === 0, text: "No alert has fired yet."}}>
        {({items}) => <Table dense caption="Alerts that fired" rows={items.map(firingOf)} id={({id}) => id} columns={firedColumns(alerts.data?.items ?? [])}/>}
      </Panel>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

function newestFirst(alerts: readonly Alert[]): readonly Alert[] {
  return [...alerts].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

interface ActsProps {
  readonly alert: Alert;
  readonly ask: (act: Act) => void;
  readonly changed: () => Promise<void>;
}

// Acts are the buttons of an alert. Pausing and arming it is done at once.
function Acts({alert: {id, symbol, exchange, condition, status}, ask, changed}: ActsProps) {
  const next = status === "armed" ? "paused" : "armed";
  const {busy, failure, run} = useSubmit(async () => {
    await call<Alert>("PATCH", `alerts/${id}`, {status: next});
    await changed();
  });
  const what = `${symbol} ${operators[condition.op].words} ${shown(condition.value)}`;
  const remove = () => ask({
    title: "Remove the alert", button: "Remove", consequence: `${what} on ${exchange} is not watched any more.`,
    run: async () => {
      await call("DELETE", `alerts/${id}`);
      await changed();
    },
  });
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {failure && <Failure error={failure}/>}
      <Button size="xs" variant="default" loading={busy} onClick={run} aria-label={`${next === "armed" ? "Arm" : "Pause"} ${what}`}>{next === "armed" ? "Arm" : "Pause"}</Button>
      <Button size="xs" variant="default" onClick={remove} aria-label={`Remove ${what}`}>Remove</Button>
    </Group>
  );
}

const columns: readonly Column<Alert>[] = [
  {title: "Instrument", cell: ({exchange, symbol}) => <Instrument exchange={exchange} symbol={symbol}/>},
  {title: "Fires when", cell: ({condition, repeat}) => <div className={styles.lines}><span><When condition={condition}/></span><span className="dim">{repeat ? "each time" : "once"}</span></div>},
  {title: "Comment", cell: ({comment}) => <Comment text={comment}/>},
  {title: "State", cell: ({status, firedAt}) => <div className={styles.lines}><Status status={status}/>{firedAt && <span className="dim">{status !== "fired" && "last fired "}<Time at={firedAt}/></span>}</div>},
];

function firedColumns(alerts: readonly Alert[]): readonly Column<Firing>[] {
  const commentOf = (firing: Firing) => alerts.find(({id}) => id === firing.alert)?.comment ?? "";
  return [
    {title: "Time", cell: ({at}) => <Time at={at} relative/>},
    {title: "Instrument", cell: ({exchange, symbol}) => <Instrument exchange={exchange} symbol={symbol}/>},
    {title: "Price", number: true, cell: ({price}) => <Amount value={price}/>},
    {title: "Condition", cell: ({condition}) => <When condition={condition}/>},
    {title: "Comment", cell: (firing) => <Comment text={commentOf(firing)}/>},
  ];
}

function Instrument({exchange, symbol}: {exchange: string; symbol: string}) {
  return <><Anchor component={Link} href={`/trade/${exchange}/${symbol}`} className="mono">{symbol}</Anchor> <span className="dim">{exchange}</span></>;
}

function Comment({text}: {text: string}) {
  return text === "" ? <span className="dim">–</span> : <span className={`outside ${styles.comment}`} title={text}>{visible(text)}</span>;
}

function When({condition: {field, op, value}}: {condition: Partial<Condition>}) {
  return <>{field ? fields[field] : "price"} {op ? operators[op].words : ""} <Amount value={value}/></>;
}

function Status({status}: {status: Alert["status"]}) {
  if (status === "armed") return <State tone="good" mark="●">armed</State>;
  return status === "fired" ? <State tone="working" mark="✓">fired</State> : <State tone="warning" mark="❚❚">paused</State>;
}
