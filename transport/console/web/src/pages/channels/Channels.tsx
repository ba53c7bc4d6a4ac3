import {Anchor, Button} from "@mantine/core";
import {IconPlus} from "@tabler/icons-react";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link, useLocation, useRoute} from "wouter";
import {call} from "../../api/client";
import type {Hook, Items} from "../../api/types";
import {pollWhileVisible, useSession} from "../../app/session";
import {Panel} from "../../ui/Panel";
import {SecretsOnce} from "../../ui/Secret";
import {State, type Tone} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Channel} from "./Channel";
import {secretsOf} from "./Connect";
import {NewChannel} from "./NewChannel";
import {Counts, LastSignal} from "./Stats";
import {kindNames, stateOf} from "./words";

/** Channels lists the channels that signals come in through, and shows one at its own address. */
export default function Channels() {
  const [, params] = useRoute("/channels/:id");
  return params ? <Channel key={params.id} id={params.id}/> : <List/>;
}

function List() {
  const hooks = useQuery({queryKey: ["hooks"], queryFn: () => call<Items<Hook>>("GET", "hooks"), refetchInterval: pollWhileVisible});
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<Hook>();
  const created = (hook: Hook) => {
    setMaking(false);
    setMade(hook);
    void queries.invalidateQueries({queryKey: ["hooks"]});
  };
  const stored = () => {
    setMade(undefined);
    if (made) navigate(`/channels/${made.id}`);
  };
  // An operator has no customer to make it for.
  const add = session.role === "owner" && <Button size="xs" leftSection={<IconPlus size={14}/>} onClick={() => setMaking(true)}>New channel</Button>;
  return (
    <>
      <h1>Channels</h1>
      <Panel title="Channels" query={hooks} actions={add} empty={{
        when: ({items}) => items.length === 0,
        text: "No channel yet. A channel turns signals into orders, under rules that you set: a script signs its signals, a charting platform sends them to a secret address.",
      }}>
        {({items}) => <Table caption="Channels" rows={items} id={(hook) => hook.id} columns={columns} faded={(hook) => hook.paused}/>}
      </Panel>
      <NewChannel opened={making} close={() => setMaking(false)} created={created}/>
      <SecretsOnce secrets={made && secretsOf(made, `New channel · 3 of 3 · Connect ${made.name}`)} close={stored}/>
    </>
  );
}

const looks: Readonly<Record<ReturnType<typeof stateOf>, {readonly tone: Tone; readonly mark: string; readonly text: string}>> = {
  on: {tone: "good", mark: "●", text: "on"}, test: {tone: "warning", mark: "▨", text: "test mode"}, paused: {tone: "plain", mark: "❚❚", text: "paused"},
};

/** ChannelState shows whether the signals of a channel place orders. */
export function ChannelState({hook}: {hook: Hook}) {
  const state = stateOf(hook);
  const {text, ...look} = looks[state];
  return <State {...look} test={state === "test"}>{text}</State>;
}

const columns: readonly Column<Hook>[] = [
  {title: "Name", cell: (hook) => <Anchor component={Link} href={`/channels/${hook.id}`} className="outside">{hook.name}</Anchor>},
  {title: "Kind", cell: (hook) => kindNames[hook.kind]},
  {title: "State", cell: (hook) => <ChannelState hook={hook}/>},
  {title: "Last signal", cell: (hook) => <LastSignal hook={hook}/>},
  {title: "24 hours", cell: (hook) => <Counts hook={hook}/>},
  {title: "Instruments", cell: ({rules}) => rules.symbols.length === 0 ? "every" : rules.symbols.length > 3 ? `${rules.symbols.length} instruments` : rules.symbols.join(", ")},
  {title: "Largest position", number: true, cell: ({rules}) => rules.maxQty ?? "–"},
];
