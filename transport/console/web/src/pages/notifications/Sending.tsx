import {Anchor} from "@mantine/core";
import {Link} from "wouter";
import {call} from "../../api/client";
import type {Delivery, Endpoint, EndpointStats, Page} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {WAITING_MAX, soon} from "../../outbound/words";
import {visible} from "../../ui/outside";
import {State} from "../../ui/State";
import {Time} from "../../ui/Time";
import styles from "./Notifications.module.css";

/** Queue shows how many events wait for an endpoint, and when the first of them is due if it is sent. */
export function Queue({endpoint: {id, paused, disabled}}: {endpoint: Endpoint}) {
  const stats = useReading(["endpoint stats", id], () => call<EndpointStats>("GET", `endpoints/${id}/stats`), SLOW_MILLISECONDS);
  if (!stats.data) return <span className="dim">–</span>;
  const {waiting, oldestDueAt} = stats.data;
  if (waiting === 0) return <span className="dim">nothing waits</span>;
  return <Anchor component={Link} href={`/deliveries?endpoint=${id}&status=pending`}>{waiting >= WAITING_MAX ? `${WAITING_MAX}+` : waiting} {waiting === 1 ? "waits" : "wait"}{oldestDueAt && !paused && disabled === "" && `, due ${soon(oldestDueAt, new Date())}`}</Anchor>;
}

const words: Readonly<Record<Delivery["status"], string>> = {delivered: "delivered", pending: "to be repeated", undelivered: "not delivered"};

/** LastDelivery shows the newest event that was queued for an endpoint, and what became of it. */
export function LastDelivery({endpoint: {id, disabled}}: {endpoint: Endpoint}) {
  const newest = useReading(["deliveries", {endpoint: id, limit: "1"}], () => call<Page<Delivery>>("GET", `deliveries?endpoint=${id}&limit=1`), SLOW_MILLISECONDS);
  if (!newest.data) return <span className="dim">–</span>;
  const last = newest.data.items[0];
  if (!last) return <span className="dim">none yet</span>;
  const {status, attempts, updatedAt, type} = last;
  return (
    <div className={styles.lines} title={type}>
      <State tone={status === "delivered" ? "good" : status === "pending" ? "working" : "bad"}>{status === "pending" && (attempts === 0 || disabled !== "") ? "waits" : words[status]}</State>
      <Time at={updatedAt}/>
      {status !== "delivered" && disabled === "" && last.lastError !== "" && <span className="dim outside">{visible(last.lastError)}</span>}
    </div>
  );
}
