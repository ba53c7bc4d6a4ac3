import {Anchor} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {Link} from "wouter";
import {call} from "../../api/client";
import type {Hook, HookStats} from "../../api/types";
import {pollWhileVisible} from "../../app/session";
import {Time} from "../../ui/Time";
import styles from "./Channels.module.css";
import {countsOf} from "./words";

/** useStats reads the numbers of a channel. */
export function useStats(id: string) {
  return useQuery({queryKey: ["hooks", id, "stats"], queryFn: () => call<HookStats>("GET", `hooks/${id}/stats`), refetchInterval: pollWhileVisible});
}

/** LastSignal shows when a channel last received a signal. */
export function LastSignal({hook}: {hook: Hook}) {
  const {data} = useStats(hook.id);
  if (!data) return <span className="dim">–</span>;
  return data.lastSignalAt ? <Time at={data.lastSignalAt} relative/> : <span className="dim">never</span>;
}

/** Counts shows what became of the signals of 24 hours, and requests whose sender was not proven. */
export function Counts({hook}: {hook: Hook}) {
  const {data} = useStats(hook.id);
  if (!data) return <span className="dim">–</span>;
  return (
    <>
      {countsOf(data)}
      {data.failedProofs > 0 && <span className={styles.unproven}> · {data.failedProofs} not proven</span>}
    </>
  );
}

/** Proofs explains the requests whose sender was not proven, if there are some. */
export function Proofs({hook}: {hook: Hook}) {
  const {data} = useStats(hook.id);
  if (!data || data.failedProofs === 0) return null;
  return (
    <p role="status" className={styles.unproven}>
      {data.failedProofs} requests since <Time at={data.failedProofsSince}/> had a wrong {hook.kind === "chart" ? "address or token" : "signature"}, or came from an address that the channel does not accept. They did nothing.
      {" "}<Anchor component={Link} href={`/signals?channel=${hook.id}`}>Signals</Anchor>
    </p>
  );
}
