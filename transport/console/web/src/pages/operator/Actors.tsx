import {NativeSelect, TextInput} from "@mantine/core";
import {useRef, useState} from "react";
import {call} from "../../api/client";
import type {Actors as Reading, Incidents} from "../../api/types";
import {FAST_MILLISECONDS, SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {visible} from "../../ui/outside";
import {Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import styles from "./Operator.module.css";
import {Tree} from "./Tree";
import type {Order} from "./rows";
import {count} from "./words";

const orders: readonly {readonly value: Order; readonly label: string}[] = [
  {value: "name", label: "name"}, {value: "waiting", label: "waiting messages"}, {value: "failures", label: "failures"}, {value: "busy", label: "busy share"},
];

/** Actors shows the running actors as a tree, with what has changed since the reading before, and what went wrong lately. */
export default function Actors() {
  const last = useRef<Reading>(undefined);
  const actors = useReading(["actors"], async () => {
    const now = await call<Reading>("GET", "actors");
    const before = last.current;
    last.current = now;
    return {now, before};
  }, FAST_MILLISECONDS);
  const [order, setOrder] = useState<Order>("name");
  const [text, setText] = useState("");
  return (
    <>
      <h1>Actors</h1>
      <Panel title="Tree" query={actors}>
        {({now, before}) => (
          <>
            <div className={styles.controls}>
              <NativeSelect size="xs" label="Sort by" data={[...orders]} value={order} onChange={(e) => setOrder(orders.find(({value}) => value === e.currentTarget.value)?.value ?? "name")}/>
              <TextInput size="xs" label="Find" placeholder="book/BTCUSDT" maxLength={64} value={text} onChange={(e) => setText(e.currentTarget.value)}/>
              <span className="dim">{count(now.total)} actors{now.items.length < now.total && `, of which the ${count(now.items.length)} with the most to see are listed`}</span>
            </div>
            <Tree now={now} before={before} order={order} text={text.trim()}/>
          </>
        )}
      </Panel>
      <Newest/>
    </>
  );
}

type Failure = Incidents["failures"][number];
type DeadLetter = Incidents["deadLetters"][number];

function Newest() {
  const incidents = useReading(["incidents"], () => call<Incidents>("GET", "incidents"), SLOW_MILLISECONDS);
  return (
    <>
      <Panel title="Newest failures" query={incidents} empty={{when: ({failures}) => failures.length === 0, text: "No actor has failed since the start."}}>
        {({failures}) => <Table caption="Newest failures" rows={numbered(failures)} id={({row}) => row} columns={failureColumns} dense/>}
      </Panel>
      <Panel title="Newest dead letters" query={incidents} empty={{when: ({deadLetters}) => deadLetters.length === 0, text: "Every message had a receiver since the start."}}>
        {({deadLetters}) => <Table caption="Newest dead letters" rows={numbered(deadLetters)} id={({row}) => row} columns={letterColumns} dense/>}
      </Panel>
    </>
  );
}

// numbered gives each row an id: nothing else distinguishes two of the same moment.
function numbered<T>(items: readonly T[]): (T & {readonly row: string})[] {
  return items.map((item, at) => ({...item, row: `${at}`}));
}

const failureColumns: readonly Column<Failure>[] = [
  {title: "At", cell: ({at}) => <Time at={at} relative/>},
  {title: "Actor", cell: ({actor}) => <span className="mono outside">{actor}</span>},
  {title: "Cause", cell: ({cause}) => <span className={`outside ${styles.wrap}`}>{visible(cause)}</span>},
];

const letterColumns: readonly Column<DeadLetter>[] = [
  {title: "At", cell: ({at}) => <Time at={at} relative/>},
  {title: "For", cell: ({actor}) => <span className="mono outside">{actor}</span>},
  {title: "Message", cell: ({message}) => <span className="mono outside">{message}</span>},
];
