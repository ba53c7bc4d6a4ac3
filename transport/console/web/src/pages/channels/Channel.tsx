import {Anchor, Button} from "@mantine/core";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link, useLocation} from "wouter";
import {call} from "../../api/client";
import type {Hook, HookChange} from "../../api/types";
import {mayChange, pollWhileVisible, useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {Confirm, type Act} from "../../ui/Confirm";
import {Failure, Waiting} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import {Time} from "../../ui/Time";
import {ChannelState} from "./Channels";
import styles from "./Channels.module.css";
import {Connect} from "./Connect";
import {Rules} from "./Rules";
import {Counts, LastSignal, Proofs} from "./Stats";
import {Switches} from "./Switches";
import {Try} from "./Try";
import {kindNames} from "./words";

/** Changes a channel; asks for password and code if the service wants them. With a tag, it fails if the channel has changed since. */
export type ChangeHook = (change: HookChange, tag?: string) => Promise<unknown>;

/** Channel is the page of one channel. */
export function Channel({id}: {id: string}) {
  const hook = useQuery({queryKey: ["hooks", id], queryFn: () => call<Hook>("GET", `hooks/${id}`), refetchInterval: pollWhileVisible});
  return (
    <>
      <Anchor component={Link} href="/channels" size="sm" w="max-content">All channels</Anchor>
      {hook.error && <Failure error={hook.error} retry={() => void hook.refetch()} stale={hook.data !== undefined}/>}
      {hook.data ? <Parts hook={hook.data}/> : !hook.error && <Waiting/>}
    </>
  );
}

function Parts({hook}: {hook: Hook}) {
  const owner = mayChange(useSession());
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const [act, setAct] = useState<Act>();
  const change: ChangeHook = async (change, tag) => {
    try {
      await stepUp(() => call("PATCH", `hooks/${hook.id}`, change, tag));
    } finally {
      await queries.invalidateQueries({queryKey: ["hooks"]});
    }
  };
  return (
    <>
      <div className={styles.head}><h1 className="outside">{hook.name}</h1><ChannelState hook={hook}/></div>
      <div className={styles.parts}>
        <div>
          <Switches hook={hook} change={change} ask={setAct}/>
          <Rules hook={hook} change={change}/>
        </div>
        <div>
          <About hook={hook}/>
          <Connect hook={hook}/>
          <Try hook={hook} ask={setAct}/>
          {owner && <Remove hook={hook} ask={setAct}/>}
        </div>
      </div>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

function About({hook}: {hook: Hook}) {
  const {role} = useSession();
  return (
    <Section title="Channel">
      <dl className={styles.facts}>
        <dt>Kind</dt><dd>{kindNames[hook.kind]}</dd>
        <dt>Id</dt><dd className="mono">{hook.id}</dd>
        <dt>Address</dt><dd className="mono">{hook.url ?? "secret, was shown when it was made"}</dd>
        <dt>Last signal</dt><dd><LastSignal hook={hook}/></dd>
        <dt>24 hours</dt><dd><Counts hook={hook}/></dd>
        <dt>Made</dt><dd><Time at={hook.createdAt}/></dd>
        <dt>Signals</dt><dd><Anchor component={Link} href={`/${role === "operator" ? "journal" : "signals"}?channel=${hook.id}`}>of this channel</Anchor></dd>
      </dl>
      <Proofs hook={hook}/>
    </Section>
  );
}

function Remove({hook, ask}: {hook: Hook; ask: (act: Act) => void}) {
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const remove = () => ask({
    title: `Remove ${hook.name}`, button: "Remove",
    consequence: "Its address answers 404 from now on, and signals that wait are abandoned. Orders and positions stay. It cannot be undone.",
    run: async () => {
      await stepUp(() => call("DELETE", `hooks/${hook.id}`));
      navigate("/channels");
      await queries.invalidateQueries({queryKey: ["hooks"], exact: true});
    },
  });
  return (
    <Section title="Remove">
      <div className={styles.setting}>
        <p className="dim">To stop signals for a while, pause the channel instead.</p>
        <Button variant="default" size="xs" onClick={remove}>Remove the channel</Button>
      </div>
    </Section>
  );
}
