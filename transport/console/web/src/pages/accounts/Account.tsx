import {Anchor, Button} from "@mantine/core";
import {useState} from "react";
import {Link, useLocation} from "wouter";
import {call} from "../../api/client";
import type {CheckResult, Items, VenueAccount} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {useAccounts, useAccountsChanged} from "../../risk/read";
import {Confirm, type Act} from "../../ui/Confirm";
import {useSubmit} from "../../ui/form";
import {Failure, Panel} from "../../ui/Panel";
import panel from "../../ui/Panel.module.css";
import {Time} from "../../ui/Time";
import {State} from "./Accounts";
import styles from "./Accounts.module.css";
import {Connect, type Target} from "./Connect";
import {Findings, verdictOf} from "./Findings";

/** Account is the page of one account, named by its exchange or its id. */
export function Account({name}: {name: string}) {
  const accounts = useAccounts();
  const account = accounts.data?.items.find((one) => one.exchange === name || one.id === name);
  return (
    <>
      <Anchor component={Link} href="/accounts" size="sm" w="max-content">All accounts</Anchor>
      <div className={styles.title}><h1 className="outside">{account?.exchange ?? name}</h1>{account && <State account={account}/>}</div>
      <Panel title="Account" query={accounts} actions={account && <Acts account={account}/>} empty={{when: () => account === undefined, text: "No account is connected at this venue."}}>
        {() => account && <Facts account={account}/>}
      </Panel>
      {account && <Check account={account}/>}
    </>
  );
}

function Facts({account: {id, environment, createdAt}}: {account: VenueAccount}) {
  return (
    <dl className={styles.facts}>
      <dt>Environment</dt><dd>{environment}</dd>
      <dt>Connected</dt><dd><Time at={createdAt}/></dd>
      <dt>Id</dt><dd className="mono">{id}</dd>
      <dt>Credentials</dt><dd>sealed; nobody can read them</dd>
      <dt>Limits and halt</dt><dd><Link href="/risk">Risk</Link></dd>
    </dl>
  );
}

function Acts({account}: {account: VenueAccount}) {
  const session = useSession();
  const stepUp = useStepUp();
  const changed = useAccountsChanged();
  const [, navigate] = useLocation();
  const [act, setAct] = useState<Act>();
  const [target, setTarget] = useState<Target>();
  if (!mayChange(session)) return null;
  const disconnect = () => setAct({
    title: `Disconnect ${account.exchange}`, button: "Disconnect",
    consequence: <><p>The credentials are deleted, and nothing is traded or read at {account.exchange} any more.</p>
      <p><strong>Orders at the venue stay as they are</strong>, stop losses among them, and positions stay open. Halt first if they should not.</p></>,
    run: async () => {
      await stepUp(() => call("DELETE", `accounts/${account.id}`));
      navigate("/accounts");
      await changed();
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setTarget({exchange: account.exchange, environment: account.environment, account})}>Replace the key</Button>
      <Button size="xs" variant="default" onClick={disconnect}>Disconnect</Button>
      <Connect target={target} close={() => setTarget(undefined)} connected={() => setTarget(undefined)}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

function Check({account}: {account: VenueAccount}) {
  const may = mayChange(useSession());
  const [results, setResults] = useState<readonly CheckResult[]>();
  const {busy, failure, submit} = useSubmit(async () => {
    setResults(undefined);
    setResults((await call<Items<CheckResult>>("POST", `accounts/${account.id}/check`)).items);
  });
  if (!may) return null;
  return (
    <section className={panel.panel} aria-label="Check">
      <header className={panel.head}><h2>Check</h2><form onSubmit={submit}><Button type="submit" size="xs" variant="default" loading={busy}>Check again</Button></form></header>
      <div className={styles.part}>
        {!results && !failure && <p className="dim">Asks the venue whether the key still works, what it may do, and in which modes the account is. Nothing is changed.</p>}
        {failure && <Failure error={failure}/>}
        {results && <>
          <p role="status">{checked(results)}</p>
          <Findings results={results}/>
        </>}
      </div>
    </section>
  );
}

// The account is connected, whatever was found.
function checked(results: readonly CheckResult[]): string {
  const failed = results.filter(({status}) => status === "failed").length;
  if (failed === 0) return verdictOf(results).replace("The account can be connected. Read the warnings first.", "The account can trade. Read the warnings.");
  return results.some(({check, status}) => check === "reachable" && status === "failed")
    ? "The venue does not answer, so nothing could be checked. Try again." : "The account cannot trade, or must not. It stays connected: replace the key, or change it at the venue.";
}
