import {Button, Menu} from "@mantine/core";
import {IconPlus} from "@tabler/icons-react";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call} from "../../api/client";
import type {Items, Role, User} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {Confirm, type Act} from "../../ui/Confirm";
import {Panel} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {NewUser, roles} from "./NewUser";

/** Users lists who may sign in for the customer; an owner invites, changes and disables them. An operator does so for all customers. */
export default function Users() {
  const session = useSession();
  const {user: me} = session;
  const may = mayChange(session);
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const users = useQuery({queryKey: ["users"], queryFn: () => call<Items<User>>("GET", "users")});
  const [making, setMaking] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const [act, setAct] = useState<Act>();
  const invited = (user: User) => setSecrets({title: `Link for ${user.id}`, note: "It opens once, within 24 hours.", values: [["Link", user.link ?? ""]]});
  const change = async (user: User, method: "POST" | "PATCH" | "DELETE", path: string, body?: object) => {
    try {
      return await stepUp(() => call<User>(method, `users/${user.id}${path}`, body));
    } finally {
      await queries.invalidateQueries({queryKey: ["users"]});
    }
  };
  const acts: Column<User> = {title: "Actions", acts: true, cell: (user) => user.id !== me && <Change user={user} ask={setAct} change={change} invited={invited}/>};
  const shown = session.role === "operator" ? [...columns.slice(0, 1), customerColumn, ...columns.slice(1)] : columns;
  const add = may && <Button size="xs" leftSection={<IconPlus size={14}/>} onClick={() => setMaking(true)}>New user</Button>;
  return (
    <>
      <h1>Users</h1>
      <Panel title="Users" query={users} actions={add}>
        {({items}) => <Table caption="Users" rows={items} id={(user) => user.id} faded={(user) => user.disabled} columns={may ? [...shown, acts] : shown}/>}
      </Panel>
      <NewUser opened={making} close={() => setMaking(false)} created={(user) => {
        setMaking(false);
        invited(user);
        void queries.invalidateQueries({queryKey: ["users"]});
      }}/>
      <SecretsOnce secrets={secrets} close={() => setSecrets(undefined)}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

interface ChangeProps {
  readonly user: User;
  readonly ask: (act: Act) => void;
  readonly change: (user: User, method: "POST" | "PATCH" | "DELETE", path: string, body?: object) => Promise<User>;
  readonly invited: (user: User) => void;
}

// Change is the menu of what can be done with a user. Each entry says first what will happen.
function Change({user, ask, change, invited}: ChangeProps) {
  const toRole = (role: Role, may: string) => ask({
    title: `Make ${user.id} ${role}`, button: `Make ${role}`, consequence: `${user.id} is signed out. The new role: ${may}`,
    run: () => change(user, "PATCH", "", {role}),
  });
  const link = () => ask({
    title: `New link for ${user.id}`, button: "Make the link",
    consequence: `Whoever opens the link sets a new password for ${user.id}. It removes the second step and ends all sessions.`,
    run: async () => invited(await change(user, "POST", "/invite")),
  });
  const enable = (disabled: boolean) => ask(disabled
    ? {title: `Disable ${user.id}`, button: "Disable", consequence: "Their sessions end now, and they cannot sign in any more.", run: () => change(user, "DELETE", "")}
    : {title: `Enable ${user.id}`, button: "Enable", consequence: "They can sign in again.", run: () => change(user, "PATCH", "", {disabled: false})});
  return (
    <Menu position="bottom-end">
      <Menu.Target><Button size="xs" variant="default" aria-label={`Change ${user.id}`}>Change</Button></Menu.Target>
      <Menu.Dropdown>
        {!user.disabled && user.role !== "operator" && roles.filter(({role}) => role !== user.role).map(({role, may}) => (
          <Menu.Item key={role} onClick={() => toRole(role, may)}>Make {role}</Menu.Item>))}
        {!user.disabled && <Menu.Item onClick={link}>New link</Menu.Item>}
        <Menu.Item onClick={() => enable(!user.disabled)}>{user.disabled ? "Enable" : "Disable"}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const said: Record<Role, string> = {
  viewer: "sees everything", trader: "trades", owner: "changes everything", operator: "runs the service",
};

const customerColumn: Column<User> = {title: "Customer", cell: ({customer}) => customer === "" ? <span className="dim">none</span> : <span className="mono">{customer}</span>};

const columns: readonly Column<User>[] = [
  {title: "Login", cell: (user) => <span className="outside">{user.id}</span>},
  {title: "Role", cell: (user) => <>{user.role} <span className="dim">· {said[user.role]}</span></>},
  {title: "Second step", cell: (user) => user.secondStep ? "on" : "off"},
  {title: "Made", cell: (user) => <Time at={user.createdAt}/>},
  {title: "State", cell: (user) => user.disabled ? "disabled" : user.invitedUntil ? <>invited until <Time at={user.invitedUntil}/></> : "active"},
];
