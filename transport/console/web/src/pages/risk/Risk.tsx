import {useState} from "react";
import {Link} from "wouter";
import type {VenueAccount} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {Halt} from "../../risk/Halt";
import {useAccounts} from "../../risk/read";
import {CURRENCY} from "../../risk/words";
import {Confirm, type Act} from "../../ui/Confirm";
import {Panel} from "../../ui/Panel";
import {Account} from "./Account";
import {Limits} from "./Limits";
import styles from "./Page.module.css";

/** Risk shows what each account may still lose today, its limits, its lock and its halt. */
export default function Risk() {
  const session = useSession();
  const accounts = useAccounts();
  const [act, setAct] = useState<Act>();
  const [halting, setHalting] = useState<VenueAccount>();
  const [limited, setLimited] = useState<VenueAccount>();
  const some = (accounts.data?.items.length ?? 0) > 0;
  return (
    <>
      <h1>Risk</h1>
      {some
        ? <>
          <p className="dim">Of each UTC day. Amounts are in {CURRENCY}; USDC counts as equal.</p>
          <div className={styles.accounts}>{accounts.data?.items.map((account) => (
            <Account key={account.id} account={account} ask={setAct} halt={() => setHalting(account)} limit={() => setLimited(account)}/>))}</div>
        </>
        : <Panel title="Accounts" query={accounts} empty={{when: ({items}) => items.length === 0, text: <>No venue is connected, so nothing can be lost. {mayChange(session) && <Link href="/accounts">Connect one.</Link>}</>}}>{() => null}</Panel>}
      <Halt opened={halting !== undefined} close={() => setHalting(undefined)} account={halting}/>
      <Limits account={limited} close={() => setLimited(undefined)}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}
