import {call} from "../../api/client";
import {trading} from "../../api/trading";
import type {Items, LatencyReport, Venue} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {Report, hasReport} from "../../latency/Report";
import {visible} from "../../ui/outside";
import {Panel} from "../../ui/Panel";
import {State, type Tone} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";

/** Health shows the state of the venues, and where the own orders spent their time. */
export default function Health() {
  const venues = useReading(["venues"], () => trading<Items<Venue>>("GET", "venues"), SLOW_MILLISECONDS);
  const latency = useReading(["latency"], () => call<LatencyReport>("GET", "latency"), SLOW_MILLISECONDS);
  return (
    <>
      <h1>Health</h1>
      <Panel title="Venues" query={venues} empty={{when: ({items}) => items.length === 0, text: "No venue is set up."}}>
        {({items}) => <Table dense caption="Venues" rows={items} id={({exchange}) => exchange} columns={columns}/>}
      </Panel>
      <Panel title="Latency of your orders" query={latency} empty={{when: (report) => !hasReport(report),
        text: "None of your orders is among the newest since the start of the service. Each order that is placed shows here how long it took, from its receipt to its answer."}}>
        {(report) => <Report report={report} links/>}
      </Panel>
    </>
  );
}

const looks: Readonly<Record<Venue["status"], {readonly mark: string; readonly tone: Tone}>> = {
  up: {mark: "●", tone: "good"}, degraded: {mark: "◐", tone: "warning"}, maintenance: {mark: "○", tone: "bad"}, down: {mark: "○", tone: "bad"},
};

const columns: readonly Column<Venue>[] = [
  {title: "Venue", cell: ({exchange}) => <strong>{exchange}</strong>},
  {title: "Environment", cell: ({environment}) => environment},
  {title: "Status", cell: ({status}) => <State {...looks[status] ?? {mark: "?", tone: "bad"}}>{status}</State>},
  {title: "Since", cell: ({since}) => <Time at={since} relative/>},
  {title: "Reason", cell: ({reason}) => reason === null ? "–" : <span className="outside">{visible(reason)}</span>},
  {title: "Clock", number: true, cell: ({clockOffsetMs}) => clockOffsetMs === null ? "not compared" : `${clockOffsetMs > 0 ? "+" : clockOffsetMs < 0 ? "−" : ""}${Math.abs(clockOffsetMs)} ms`},
  {title: "Orders by", cell: ({orderEntry}) => orderEntry === "websocket" ? "WebSocket" : "REST"},
  {title: "Your account", cell: ({connected}) => connected ? "connected" : <span className="dim">not connected</span>},
];
