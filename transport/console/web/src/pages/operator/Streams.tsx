import {call} from "../../api/client";
import type {StreamKey, Streams as State} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {Figures} from "./Figures";
import styles from "./Operator.module.css";
import {bytes, count} from "./words";

const ROWS = 100;

/** Streams shows who is connected to the stream, and whose queues are long. */
export default function Streams() {
  const streams = useReading(["streams"], () => call<State>("GET", "streams"), FAST_MILLISECONDS);
  return (
    <>
      <h1>Streams</h1>
      <Panel title="All connections" query={streams}>{(data) => <Figures of={[
        ["Connections", count(data.connections), data.unauthenticated > 0 ? `${count(data.unauthenticated)} not signed in` : undefined],
        ["Subscriptions", count(data.subscriptions), `to ${count(data.topics)} topics`],
        ["Queued", bytes(data.queuedBytes)],
        ["Slow writes", count(data.slowWrites)],
        ["Conflated", count(data.conflations), `${count(data.dropped)} frames dropped`],
        ["Refused", count(data.refused)],
      ]}/>}</Panel>
      <Panel title="By key" query={streams} empty={{when: ({items}) => items.length === 0, text: "Nobody is connected. Clients and pages with market data are listed here, the longest queues first."}}>
        {({items, keys}) => (
          <>
            <Table caption="Connections by key" rows={items.slice(0, ROWS)} id={({key}) => key} columns={columns} dense/>
            {keys > ROWS && <p className={styles.note}>{count(keys - ROWS)} more with shorter queues.</p>}
          </>
        )}
      </Panel>
    </>
  );
}

const columns: readonly Column<StreamKey>[] = [
  {title: "Key", cell: ({key}) => <span className="mono">{key}</span>},
  {title: "Kind", cell: ({key}) => key.startsWith("ses_") ? "console" : "API key"},
  {title: "Customer", cell: ({customer}) => <span className="mono">{customer}</span>},
  {title: "Connections", number: true, cell: ({connections}) => count(connections)},
  {title: "Subscriptions", number: true, cell: ({subscriptions}) => count(subscriptions)},
  {title: "Queued", number: true, cell: ({queuedBytes}) => <span className={queuedBytes > 0 ? styles.warning : undefined}>{bytes(queuedBytes)}</span>},
  {title: "Longest queue", number: true, cell: ({mostQueuedBytes}) => bytes(mostQueuedBytes)},
  {title: "Oldest", cell: ({oldestOpenedAt}) => <Time at={oldestOpenedAt} relative/>},
];
