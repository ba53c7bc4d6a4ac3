import {Badge, Button, Group} from "@mantine/core";
import {IconPlus} from "@tabler/icons-react";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call} from "../../api/client";
import type {Items, Key} from "../../api/types";
import {pollWhileVisible, useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {Confirm, type Act} from "../../ui/Confirm";
import {Panel} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {NewKey} from "./NewKey";
import {Rotate} from "./Rotate";
import {UNUSED_DAYS, isActive, isUnused, newestFirst} from "./use";

/** Keys lists the customer's API keys; an owner makes and revokes them. */
export default function Keys() {
  const owner = useSession().role === "owner";
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const keys = useQuery({queryKey: ["keys"], queryFn: () => call<Items<Key>>("GET", "keys"), refetchInterval: pollWhileVisible});
  const [making, setMaking] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const [act, setAct] = useState<Act>();
  const [rotating, setRotating] = useState<Key>();
  const reload = () => queries.invalidateQueries({queryKey: ["keys"]});
  const revoke = (key: Key) => setAct({
    title: `Revoke ${key.name}`, button: "Revoke",
    consequence: "Programs with this key are refused from now on, and their streams end. It cannot be undone.",
    run: async () => {
      await stepUp(() => call("DELETE", `keys/${key.id}`));
      await reload();
    },
  });
  const created = (key: Key) => {
    setMaking(false);
    setRotating(undefined);
    setSecrets({title: `Key ${key.name}`, values: [["API key", key.apiKey ?? ""]]});
    void reload();
  };
  const add = owner && <Button size="xs" leftSection={<IconPlus size={14}/>} onClick={() => setMaking(true)}>New key</Button>;
  return (
    <>
      <h1>API keys</h1>
      <Panel title="Keys" query={keys} actions={add} empty={{
        when: ({items}) => items.length === 0,
        text: "No key yet. A program sends its key with each call: read for market data, account for orders and positions, trade for placing orders.",
      }}>
        {({items}) => <Table caption="API keys" rows={newestFirst(items, new Date())} id={(key) => key.id} faded={(key) => !isActive(key, new Date())}
          columns={owner ? [...columns, actsColumn(setRotating, revoke)] : columns}/>}
      </Panel>
      <NewKey opened={making} close={() => setMaking(false)} created={created}/>
      <Rotate of={rotating} close={() => setRotating(undefined)} created={created}/>
      <SecretsOnce secrets={secrets} close={() => setSecrets(undefined)}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

const columns: readonly Column<Key>[] = [
  {title: "Name", cell: (key) => <span className="outside">{key.name}</span>},
  {title: "Id", cell: (key) => <span className="mono">{key.id}</span>},
  {title: "May", cell: (key) => <Group gap={4}>{key.scopes.map((s) => <Badge key={s} variant="default" radius={4} tt="none">{s}</Badge>)}</Group>},
  {title: "From", cell: (key) => key.allow.length > 0 ? <span className="mono">{key.allow.join(", ")}</span> : "any address"},
  {title: "Made", cell: (key) => <Time at={key.createdAt}/>},
  {title: "Last used", cell: (key) => <Used of={key}/>},
  {title: "Ends", cell: (key) => <End of={key}/>},
];

function Used({of: key}: {of: Key}) {
  const unused = isUnused(key, new Date());
  return (
    <>
      {key.lastUsedAt ? <><Time at={key.lastUsedAt}/><div className="dim mono">{key.lastUsedFrom}</div></> : <span className="dim">never</span>}
      {unused && <Badge color="var(--warning)" variant="outline" radius={4} tt="none">unused for {UNUSED_DAYS} days</Badge>}
    </>
  );
}

function End({of: key}: {of: Key}) {
  return (
    <>
      {key.revokedAt ? <>revoked <Time at={key.revokedAt}/></> : key.expiresAt ? <Time at={key.expiresAt}/> : "never"}
      {key.replacedBy && <span className="dim"> replaced by <span className="mono">{key.replacedBy}</span></span>}
    </>
  );
}

function actsColumn(rotate: (key: Key) => void, revoke: (key: Key) => void): Column<Key> {
  return {title: "Actions", acts: true, cell: (key) => !key.revokedAt && <Group gap={8} wrap="nowrap" justify="flex-end">
    {isActive(key, new Date()) && !key.replacedBy && <Button size="xs" variant="default" onClick={() => rotate(key)} aria-label={`Rotate ${key.name}`}>Rotate</Button>}
    <Button size="xs" variant="default" onClick={() => revoke(key)} aria-label={`Revoke ${key.name}`}>Revoke</Button></Group>};
}
