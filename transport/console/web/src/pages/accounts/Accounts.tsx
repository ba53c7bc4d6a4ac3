import {Button} from "@mantine/core";
import {useState} from "react";
import {Link, useLocation} from "wouter";
import type {VenueAccount} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {useAccounts} from "../../risk/read";
import {stateOf} from "../../risk/words";
import {Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {Account} from "./Account";
import styles from "./Accounts.module.css";
import {Connect, type Target} from "./Connect";

/** Accounts lists the venues and the account at each; below its path is the page of one account. */
export default function Accounts() {
  const [location] = useLocation();
  const name = decodeURIComponent(location.split("/")[2] ?? "");
  return name === "" ? <List/> : <Account key={name} name={name}/>;
}

/** A venue with its account, if one is connected. */
interface Row {
  readonly exchange: string;
  readonly environment: string;
  readonly account: VenueAccount | undefined;
}

function List() {
  const session = useSession();
  const owner = session.role === "owner";
  const [, navigate] = useLocation();
  const accounts = useAccounts();
  const [target, setTarget] = useState<Target>();
  const columns: readonly Column<Row>[] = [
    {title: "Venue", cell: (row) => row.account ? <Link className={styles.name ?? ""} href={pathOf(row.account, session.customer)}>{row.exchange}</Link> : <strong>{row.exchange}</strong>},
    ...(session.role === "operator" ? [{title: "Customer", cell: (row: Row) => <span className="mono">{row.account?.customer}</span>}] : []),
    {title: "Environment", cell: (row) => row.environment},
    {title: "State", cell: ({account}) => account ? <State account={account}/> : <span className="dim">○ not connected</span>},
    {title: "Connected", cell: ({account}) => <Time at={account?.createdAt}/>},
    {title: "Actions", acts: true, cell: (row) => owner && !row.account && <Button size="xs" onClick={() => setTarget(row)}>Connect {row.exchange}</Button>},
  ];
  return (
    <>
      <h1>Accounts</h1>
      <Panel title="Venues" query={accounts} empty={{when: ({items}) => items.length === 0 && session.role === "operator", text: "No customer has connected a venue."}}>
        {({items}) => <Table caption="Venues and their accounts" rows={rowsOf(items, session)} id={(row) => row.account?.id ?? row.exchange} columns={columns} faded={(row) => !row.account}/>}
      </Panel>
      {!mayChange(session) && <p className="dim">An owner connects, replaces and disconnects accounts.</p>}
      <Connect target={target} close={() => setTarget(undefined)} connected={(account) => {
        setTarget(undefined);
        navigate(pathOf(account, session.customer));
      }}/>
    </>
  );
}

// Users of a customer see every venue, operators the accounts of all customers.
function rowsOf(accounts: readonly VenueAccount[], {role, environments}: {role: string; environments: Readonly<Record<string, string>>}): Row[] {
  const connected = accounts.map((account) => ({exchange: account.exchange, environment: account.environment, account}));
  if (role === "operator") return connected;
  const missing = Object.keys(environments).filter((exchange) => !accounts.some((account) => account.exchange === exchange));
  return [...connected, ...missing.map((exchange) => ({exchange, environment: new Map(Object.entries(environments)).get(exchange) ?? "", account: undefined}))]
    .toSorted((a, b) => a.exchange.localeCompare(b.exchange));
}

// An exchange names an account of the own customer, an id that of another.
function pathOf({id, exchange, customer}: VenueAccount, own: string): string {
  return `/accounts/${customer === own ? exchange : id}`;
}

/** State says whether an account takes orders, and why not. */
export function State({account}: {account: VenueAccount}) {
  const {word, mark, look} = stateOf(account);
  return <span className={styles[look]}><span aria-hidden>{mark}</span> {word}</span>;
}
