import {call} from "../../api/client";
import type {LatencyReport} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {Report, hasReport} from "../../latency/Report";
import {Panel} from "../../ui/Panel";

/** Latency shows where the newest orders of all customers spent their time. */
export default function Latency() {
  const latency = useReading(["latency"], () => call<LatencyReport>("GET", "latency"), SLOW_MILLISECONDS);
  return (
    <>
      <h1>Latency</h1>
      <Panel title="Orders by hop" query={latency} empty={{when: (report) => !hasReport(report), text: "No order was placed since the start of the service."}}>
        {(report) => <Report report={report} links={false}/>}
      </Panel>
    </>
  );
}
