import {Button, Drawer} from "@mantine/core";
import {useInfiniteQuery, useQuery} from "@tanstack/react-query";
import {useState} from "react";
import {Link} from "wouter";
import {call} from "../../api/client";
import type {DeliveryAttempt, DeliveryDetail, Endpoint, Page} from "../../api/types";
import {orderIn, pathOfOrder} from "../../app/paths";
import {pollWhileVisible, useSession} from "../../app/session";
import {Copy} from "../../ui/Copy";
import {curlOf} from "../../outbound/verify";
import {duration, nameOf} from "../../outbound/words";
import {Confirm, type Act} from "../../ui/Confirm";
import {Failure, Waiting} from "../../ui/Panel";
import {State} from "../../ui/State";
import {Time} from "../../ui/Time";
import {Status} from "./Deliveries";
import styles from "./Deliveries.module.css";
import {one} from "./Resend";
import {visible} from "../../ui/outside";

const POLL_MILLISECONDS = 2_000;
const BODY_CHARACTERS = 65_536;

interface Props {
  /** The endpoint and the event, as keyOf joins them; empty shows nothing. */
  readonly id: string;
  /** The endpoint, unless it has been removed. */
  readonly endpoint: Endpoint | undefined;
  readonly close: () => void;
  /** What follows a resend; undefined if the user may not resend. */
  readonly resent: (() => Promise<void>) | undefined;
}

/** Detail shows one delivery beside the list: its attempts with the answers, and the body that is sent. */
export function Detail(props: Props) {
  return (
    <Drawer opened={props.id !== ""} onClose={props.close} position="right" size="xl" title={<span className="mono outside">{props.id.split("/")[1]}</span>}>
      {props.id !== "" && <Loaded key={props.id} {...props}/>}
    </Drawer>
  );
}

function Loaded({id, endpoint, resent}: Props) {
  const [to = "", event = ""] = id.split("/").map(encodeURIComponent);
  const {data: delivery, error, refetch} = useQuery({
    queryKey: ["delivery", id], queryFn: () => call<DeliveryDetail>("GET", `endpoints/${to}/deliveries/${event}`),
    refetchInterval: ({state}) => state.data?.status === "pending" && pollWhileVisible() && POLL_MILLISECONDS,
  });
  const [act, setAct] = useState<Act>();
  if (!delivery) return error ? <Failure error={error} retry={() => void refetch()}/> : <Waiting/>;
  const order = orderIn(delivery);
  return (
    <div className={styles.detail}>
      {error && <Failure error={error} stale/>}
      <dl className={styles.facts}>
        <dt>Event</dt><dd className="mono">{delivery.type}</dd>
        {order && <><dt>Order</dt><dd><Link href={pathOfOrder(order)} className="mono">{order}</Link></dd></>}
        <dt>Endpoint</dt><dd>{endpoint ? <Link href={`/endpoints/${endpoint.id}`} className="outside">{nameOf(endpoint)}</Link> : <span className="mono">{delivery.endpoint}, removed</span>}</dd>
        <dt>Status</dt><dd><Status delivery={delivery}/></dd>
        <dt>Queued</dt><dd><Time at={delivery.createdAt}/></dd>
        {delivery.lastError && <><dt>Last error</dt><dd className="outside">{visible(delivery.lastError)}</dd></>}
      </dl>
      {resent && endpoint && <div><Button size="xs" variant="default" onClick={() => setAct(one(delivery, resent))}>Resend</Button></div>}
      <Attempts to={to} event={event} version={`${delivery.updatedAt} ${delivery.status}`}/>
      <Body delivery={delivery} url={endpoint?.url}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </div>
  );
}

function Attempts({to, event, version}: {to: string; event: string; version: string}) {
  const attempts = useInfiniteQuery({
    queryKey: ["attempts", to, event, version],
    queryFn: ({pageParam}) => call<Page<DeliveryAttempt>>("GET", `endpoints/${to}/deliveries/${event}/attempts?${new URLSearchParams({limit: "50", ...pageParam}).toString()}`),
    initialPageParam: {} as {cursor?: string},
    getNextPageParam: ({nextCursor}) => nextCursor === null ? undefined : {cursor: nextCursor},
    placeholderData: (before) => before,
  });
  const rows = attempts.data?.pages.flatMap(({items}) => items) ?? [];
  return (
    <section aria-label="Attempts">
      <div className={styles.head}><h3>Attempts</h3></div>
      {attempts.error && <Failure error={attempts.error} retry={() => void attempts.refetch()}/>}
      {attempts.isPending && <Waiting/>}
      {attempts.data && rows.length === 0 && <p className="dim">None yet.</p>}
      <ol className={styles.attempts}>{rows.map((row) => <li key={`${row.at} ${row.result} ${row.number}`}><Attempt row={row}/></li>)}</ol>
      {attempts.hasNextPage && <Button size="xs" mt="xs" variant="default" loading={attempts.isFetchingNextPage} onClick={() => void attempts.fetchNextPage()}>Earlier ones</Button>}
    </section>
  );
}

function Attempt({row}: {row: DeliveryAttempt}) {
  const isAttempt = row.number > 0;
  return (
    <>
      <div className={styles.line}>
        <Time at={row.at}/>
        <strong><State tone={row.result === "delivered" ? "good" : row.result === "resent" ? "done" : "bad"} mark="">
          {isAttempt ? `${row.number}. ${row.result}` : row.result === "resent" ? "resent by hand" : "given up"}
        </State></strong>
        {row.nextAt && <span className="dim">next <Time at={row.nextAt}/></span>}
        {isAttempt && <span className={`mono ${styles.right}`}>{row.status > 0 ? row.status : "no answer"} · {duration(row.durationMs)}</span>}
      </div>
      {row.error && row.error !== `answered ${row.status}` && <span className="dim outside">{visible(row.error)}</span>}
      {row.answer && <details><summary>Answer</summary><pre className={styles.pre} aria-label="Answer of the receiver">{visible(row.answer, 2_048)}</pre></details>}
    </>
  );
}

function Body({delivery, url}: {delivery: DeliveryDetail; url: string | undefined}) {
  const {body} = delivery;
  const {headerPrefix} = useSession();
  return (
    <section aria-label="Body sent">
      <div className={styles.head}>
        <h3>Body sent</h3>
        {body !== null && <Copy text={body} name="the body"/>}
        {body !== null && url !== undefined && <Copy text={curlOf(url, headerPrefix, delivery.eventId, body)} name="as curl" label="Copy as curl"/>}
      </div>
      {body === null
        ? <p className="dim">There is none to show: the event is no longer kept, or it was sent as a message or a row.</p>
        : <pre className={styles.pre} data-testid="body">{visible(body, BODY_CHARACTERS)}</pre>}
      <p className="dim">Exact bytes, the same in every attempt. The signature is made for each attempt and not kept.</p>
    </section>
  );
}
