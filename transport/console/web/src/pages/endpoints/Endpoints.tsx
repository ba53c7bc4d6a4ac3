import {Button} from "@mantine/core";
import {IconPlus} from "@tabler/icons-react";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link, useLocation} from "wouter";
import {call} from "../../api/client";
import type {Endpoint as Record, Items} from "../../api/types";
import {mayChange, pollWhileVisible, useSession} from "../../app/session";
import {kindWords, nameOf, takesRows, targetOf} from "../../outbound/words";
import {Panel} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {State} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Endpoint} from "./Endpoint";
import styles from "./Endpoints.module.css";
import {NewEndpoint} from "./NewEndpoint";

/** Endpoints lists where events are sent; below its path is the page of one endpoint. */
export default function Endpoints() {
  const [location] = useLocation();
  const id = location.split("/")[2] ?? "";
  return id === "" ? <List/> : <Endpoint key={id} id={id}/>;
}

function List() {
  const changes = mayChange(useSession());
  const queries = useQueryClient();
  const endpoints = useQuery({queryKey: ["endpoints"], queryFn: () => call<Items<Record>>("GET", "endpoints"), refetchInterval: pollWhileVisible});
  const [making, setMaking] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const created = (made: Record) => {
    setMaking(false);
    if (made.secret) setSecrets(signingSecret(made, made.secret));
    void queries.invalidateQueries({queryKey: ["endpoints"]});
  };
  return (
    <>
      <h1>Endpoints</h1>
      <Panel title="Where events are sent" query={endpoints}
        actions={changes && <Button size="xs" leftSection={<IconPlus size={14}/>} onClick={() => setMaking(true)}>New endpoint</Button>}
        empty={{when: ({items}) => items.length === 0, text: "No endpoint yet. An endpoint is an address of yours to which the service sends signed events: fills, closed positions, alerts."}}>
        {({items}) => <Table caption="Endpoints" columns={columns} rows={items} id={(e) => e.id} faded={(e) => e.paused || e.disabled !== ""}/>}
      </Panel>
      <NewEndpoint opened={making} close={() => setMaking(false)} created={created}/>
      <SecretsOnce secrets={secrets} close={() => setSecrets(undefined)}/>
    </>
  );
}

/** signingSecret returns what is shown once of a new secret. */
export function signingSecret(endpoint: Record, secret: string): Secrets {
  return {title: `Secret of ${nameOf(endpoint)}`, note: "Receivers verify each event with it; the page of the endpoint has the code for that.", values: [["Signing secret", secret]]};
}

const columns: readonly Column<Record>[] = [
  {title: "Name", cell: (e) => <Link href={`/endpoints/${e.id}`} className={`outside ${styles.name ?? ""}`}>{nameOf(e)}</Link>},
  {title: "Kind", cell: (e) => kindWords[e.kind]},
  {title: "Sent to", cell: (e) => <span className="mono outside">{targetOf(e)}</span>},
  {title: "Receives", cell: (e) => <Receives endpoint={e}/>},
  {title: "State", cell: (e) => <EndpointState endpoint={e}/>},
];

/** Receives names the events that an endpoint receives. */
export function Receives({endpoint: {kind, types}}: {endpoint: Pick<Record, "kind" | "types">}) {
  if (takesRows(kind)) return "closed trades";
  return types.length === 0 ? "everything" : <span className="mono">{types.join(", ")}</span>;
}

/** EndpointState shows whether events are sent to an endpoint. */
export function EndpointState({endpoint: {paused, disabled}}: {endpoint: Pick<Record, "paused" | "disabled">}) {
  if (disabled !== "") return <State tone="bad">disabled</State>;
  return paused ? <State tone="warning" mark="❚❚">paused</State> : <State tone="good" mark="●">active</State>;
}
