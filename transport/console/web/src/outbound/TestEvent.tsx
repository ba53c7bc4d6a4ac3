import {Button} from "@mantine/core";
import {useState} from "react";
import {call} from "../api/client";
import type {EndpointTest} from "../api/types";
import {useSubmit} from "../ui/form";
import {visible} from "../ui/outside";
import {Failure} from "../ui/Panel";
import {State} from "../ui/State";
import styles from "./TestEvent.module.css";
import {duration} from "./words";

/** TestEvent is a button that sends a test event to an endpoint, and what became of it. */
export function TestEvent({id, button}: {id: string; button: string}) {
  const [result, setResult] = useState<EndpointTest>();
  const {busy, failure, run} = useSubmit(async () => {
    setResult(undefined);
    setResult(await call<EndpointTest>("POST", `endpoints/${id}/test`));
  });
  return (
    <div className={styles.test}>
      <Button size="xs" variant="default" loading={busy} onClick={run} w="max-content">{button}</Button>
      {failure && <Failure error={failure}/>}
      {result && <div role="status" data-testid="tested" className={styles.test}>
        <p><strong><State tone={result.delivered ? "good" : "bad"}>{result.delivered ? "delivered" : "not delivered"}</State></strong>
          {" "}<span className="mono">{result.status > 0 ? `${result.status} · ` : ""}{duration(result.durationMs)} · {result.eventId}</span></p>
        {result.error && <p className="outside">{visible(result.error)}</p>}
        {result.answer && <pre className={styles.answer} aria-label="Answer of the receiver" tabIndex={0}>{visible(result.answer, 2_048)}</pre>}
      </div>}
    </div>
  );
}
