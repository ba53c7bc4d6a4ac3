import {Anchor, Button} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {useMemo} from "react";
import {Link, useLocation, useSearch} from "wouter";
import {CallError, call} from "../../api/client";
import type {SignalHistory} from "../../api/types";
import {pollWhileVisible} from "../../app/session";
import {Panel} from "../../ui/Panel";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import {useShortcuts} from "../../ui/shortcuts";
import {Now} from "./Now";
import {Orders, Plan, Received} from "./Received";
import styles from "./Signals.module.css";
import {Status} from "./Status";
import {Timeline} from "./Timeline";
import {Why} from "./Why";
import {termsOf, toneOf} from "./history";
import {useChannels, useSignals} from "./list";
import {Copy} from "../../ui/Copy";

const POLL_MILLISECONDS = 2_000;
const SETTLED_POLL_MILLISECONDS = 15_000;
const SETTLES_WITHIN_MILLISECONDS = 60_000;

/** One shows what became of a signal, and why. */
export function One({id}: {id: string}) {
  const signal = useQuery({
    queryKey: ["signal", id], queryFn: () => call<SignalHistory>("GET", `signals/${id}`),
    refetchInterval: ({state}) => pollWhileVisible() !== false && !(state.error instanceof CallError && state.error.status === 404) && (isSettled(state.data) ? SETTLED_POLL_MILLISECONDS : POLL_MILLISECONDS),
  });
  const gone = signal.error instanceof CallError && signal.error.status === 404;
  return (
    <>
      <Walk id={id}/>
      {signal.data && <Head history={signal.data}/>}
      {gone
        ? <><h1>Signal</h1><p>There is no such signal, or it is no longer kept.</p></>
        : <div className={styles.columns}>
          <Panel title="What happened" query={signal}>{(history) => <>
            <Timeline history={history}/>
            {!history.complete && <p className={styles.cut}>There is more than this page has room for: the <Link href={`/journal?subject=${id}`}>journal</Link> has all of it.</p>}
          </>}</Panel>
          {signal.data && <div className={styles.side}>
            <Plan history={signal.data}/>
            <Orders history={signal.data}/>
            <Received history={signal.data}/>
            <Now history={signal.data}/>
          </div>}
        </div>}
    </>
  );
}

// isSettled reports whether little is expected to happen: the signal is finished, and its first deliveries are over.
function isSettled(history: SignalHistory | undefined): boolean {
  return history !== undefined && toneOf(history.signal.status) !== "working" && Date.now() - new Date(history.signal.updatedAt).getTime() > SETTLES_WITHIN_MILLISECONDS;
}

function Head({history}: {history: SignalHistory}) {
  const {signal} = history;
  const name = useChannels().data?.items.find(({id}) => id === signal.channel)?.name ?? signal.channel;
  return (
    <>
      <div className={styles.title}>
        <h1 className="outside">{visible(termsOf(signal))}</h1><Status status={signal.status} test={signal.test}/>
        <span className={styles.acts}><Copy text={JSON.stringify(history, null, 2)} name="as JSON" label="Copy as JSON"/></span>
      </div>
      <p className="dim outside"><span className="mono">{signal.id}</span> · {name}{signal.exchange && ` · ${signal.exchange}`} · <Time at={signal.receivedAt} relative/></p>
      <Why history={history}/>
    </>
  );
}

// Walk goes to the neighbours of a signal in the list that it was opened from.
function Walk({id}: {id: string}) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const {data} = useSignals();
  const ids = useMemo(() => data?.pages.flatMap(({items}) => items.map((one) => one.id)) ?? [], [data]);
  const at = ids.indexOf(id);
  const [newer, older] = at < 0 ? [] : [ids[at - 1], ids[at + 1]];
  const query = search && `?${search}`;
  const to = (next: string | undefined) => next === undefined ? undefined : () => navigate(`/signals/${next}${query}`);
  useShortcuts({j: to(older), k: to(newer), Escape: () => navigate(`/signals${query}`)});
  return (
    <nav className={styles.walk} aria-label="Signals of the list">
      <Anchor component={Link} href={`/signals${query}`}>All signals</Anchor>
      <span className={styles.acts}>
        <Button size="xs" variant="default" disabled={newer === undefined} onClick={to(newer)} aria-keyshortcuts="k">Newer</Button>
        <Button size="xs" variant="default" disabled={older === undefined} onClick={to(older)} aria-keyshortcuts="j">Older</Button>
      </span>
    </nav>
  );
}
