import {Button, Skeleton} from "@mantine/core";
import {IconAlertTriangle} from "@tabler/icons-react";
import type {UseQueryResult} from "@tanstack/react-query";
import {useEffect, useState, type ReactNode} from "react";
import {CallError} from "../api/client";
import {errorText} from "../app/text";
import styles from "./Panel.module.css";

const SKELETON_AFTER_MILLISECONDS = 150;

interface PanelProps<T> {
  readonly title: string;
  readonly query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** What is shown instead of the data when there is none: what would be here and the next step. */
  readonly empty?: {when: (data: T) => boolean; text: ReactNode};
  readonly children: (data: T) => ReactNode;
}

/** Panel shows what a query holds, in each of its states: loading, empty, failed, late. */
export function Panel<T>({title, query, actions, empty, children}: PanelProps<T>) {
  const {data, error} = query;
  return (
    <section className={styles.panel} aria-label={title}>
      <header className={styles.head}><h2>{title}</h2><div className={styles.actions}>{actions}</div></header>
      {error && <Failure error={error} retry={() => void query.refetch()} stale={data !== undefined}/>}
      {data === undefined && !error && <Waiting/>}
      {data !== undefined && (empty?.when(data)
        ? <div className={styles.empty}>{empty.text}</div>
        : <div className={error ? styles.stale : undefined}>{children(data)}</div>)}
    </section>
  );
}

/** Waiting shows nothing at first, and a skeleton when the answer takes longer. */
export function Waiting() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.waiting} role="status" aria-label="Loading">
      {late && [92, 78, 85].map((width) => <Skeleton key={width} height={12} width={`${width}%`} animate={false}/>)}
    </div>
  );
}

/** Failure says what went wrong, with the number under which the service logged it. */
export function Failure({error, retry, stale}: {error: Error; retry?: () => void; stale?: boolean}) {
  const code = error instanceof CallError ? error.code : "page_error";
  return (
    <div className={styles.failure} role="alert">
      <IconAlertTriangle size={18} aria-hidden/>
      <div>
        <p>{errorText[code] ?? error.message}{stale && " What is shown below is older."}</p>
        {error instanceof CallError && error.fields.map(({field, rule, allowed}) => <p key={field}>{field}: {allowed ? `allowed is ${allowed}` : rule.replaceAll("_", " ")}</p>)}
        <p className="dim"><span className="mono">{code}</span>
          {error instanceof CallError && error.requestId && <> · <span className="mono">{error.requestId}</span></>}</p>
      </div>
      {retry && <Button size="xs" variant="default" onClick={retry}>Try again</Button>}
    </div>
  );
}
