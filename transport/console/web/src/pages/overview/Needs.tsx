import type {UseQueryResult} from "@tanstack/react-query";
import {Link} from "wouter";
import orders from "../../orders/Orders.module.css";
import {Panel} from "../../ui/Panel";
import {Time} from "../../ui/Time";
import styles from "./Overview.module.css";
import type {Need} from "./attention";

interface Props {
  readonly needs: readonly Need[];
  /** Whether everything has been read at least once. */
  readonly read: boolean;
  readonly failed: UseQueryResult<unknown> | undefined;
}

const marks = {alarm: "▲", unknown: "◆", warning: "⚠"} as const;

/** Needs lists what needs somebody. That nothing does is only said when everything was read. */
export function Needs({needs, read, failed}: Props) {
  const query = {data: read || needs.length > 0 ? needs : undefined, error: failed?.error ?? null, refetch: failed?.refetch ?? (() => Promise.reject(new Error("nothing failed")))};
  return (
    <Panel title="Needs you" query={query as Pick<UseQueryResult<readonly Need[]>, "data" | "error" | "refetch">}
      empty={{when: (list) => list.length === 0, text: failed ? "A part is not known." : "Nothing needs you."}}>
      {(list) => <ul className={styles.needs}>{list.map((need) => (
        <li key={need.id}><span className={styles[need.kind]} aria-hidden>{marks[need.kind]}</span>
          <p className="outside">{need.text}{need.since && <span className="dim"> since <Time at={need.since}/></span>}</p>
          <Link className={orders.link ?? ""} href={need.href} aria-label={`Look at: ${need.text}`}>Look</Link></li>))}</ul>}
    </Panel>
  );
}
