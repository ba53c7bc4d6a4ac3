import {Button, Group, Menu, Stack, TextInput} from "@mantine/core";
import {IconPlus} from "@tabler/icons-react";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link} from "wouter";
import {call, faultOf} from "../../api/client";
import type {Customer, Items, User} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Confirm, type Act} from "../../ui/Confirm";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {visible} from "../../ui/outside";
import {Failure, Panel} from "../../ui/Panel";
import {State} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";

/** Customers lists the customers of the installation; an operator makes, renames, disables and enables them. */
export default function Customers() {
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const customers = useReading(["customers"], () => call<Items<Customer>>("GET", "customers"), SLOW_MILLISECONDS);
  const users = useReading(["users"], () => call<Items<User>>("GET", "users"), SLOW_MILLISECONDS);
  const [act, setAct] = useState<Act>();
  const [edited, setEdited] = useState<Customer | "new">();
  const reload = () => queries.invalidateQueries({queryKey: ["customers"]});
  const enable = ({id, name, disabled}: Customer) => setAct({
    title: `${disabled ? "Enable" : "Disable"} ${visible(name)}`, button: disabled ? "Enable" : "Disable",
    consequence: disabled ? "Its keys are accepted again, and its users can sign in."
      : "Its keys are refused and its users signed out from now on. Orders and positions at the venues stay as they are, and nobody watches over them.",
    run: async () => {
      await stepUp(() => call("PATCH", `customers/${id}`, {disabled: !disabled}));
      await reload();
    },
  });
  const columns: readonly Column<Customer>[] = [
    {title: "Name", cell: ({name}) => <span className="outside">{visible(name)}</span>},
    {title: "Id", cell: ({id}) => <span className="mono">{id}</span>},
    {title: "Users", number: true, cell: ({id}) => users.data ? users.data.items.filter(({customer, disabled}) => customer === id && !disabled).length : "–"},
    {title: "State", cell: ({disabled}) => <State tone={disabled ? "bad" : "good"} mark={disabled ? "○" : "●"}>{disabled ? "disabled" : "active"}</State>},
    {title: "Made", cell: ({createdAt}) => <Time at={createdAt}/>},
    {title: "Actions", acts: true, cell: (customer) => <Change customer={customer} rename={() => setEdited(customer)} enable={() => enable(customer)}/>},
  ];
  return (
    <>
      <h1>Customers</h1>
      <Panel title="Customers" query={customers} actions={<Button size="xs" leftSection={<IconPlus size={14}/>} onClick={() => setEdited("new")}>New customer</Button>}
        empty={{when: ({items}) => items.length === 0, text: "No customer yet. A customer has its own keys, accounts, channels and users."}}>
        {({items}) => <Table caption="Customers" rows={items} id={({id}) => id} faded={({disabled}) => disabled} columns={columns}/>}
      </Panel>
      <p className="dim">Their users are on the page <Link href="/users">Users</Link>, their keys on <Link href="/keys">Keys</Link>.</p>
      <Name edited={edited} close={() => setEdited(undefined)} reload={reload}/>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </>
  );
}

function Change({customer, rename, enable}: {customer: Customer; rename: () => void; enable: () => void}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target><Button size="xs" variant="default" aria-label={`Change ${customer.name}`}>Change</Button></Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={rename}>Rename</Menu.Item>
        <Menu.Item onClick={enable}>{customer.disabled ? "Enable" : "Disable"}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface NameProps {
  readonly edited: Customer | "new" | undefined;
  readonly close: () => void;
  readonly reload: () => Promise<void>;
}

function Name(props: NameProps) {
  const asking = useIsAsking();
  return (
    <Dialog opened={props.edited !== undefined} onClose={props.close} title={props.edited === "new" ? "New customer" : "Rename the customer"} centered closeOnEscape={!asking}>
      {props.edited !== undefined && <NameForm {...props} edited={props.edited}/>}
    </Dialog>
  );
}

function NameForm({edited, close, reload}: NameProps & {readonly edited: Customer | "new"}) {
  const stepUp = useStepUp();
  const [name, setName] = useState(edited === "new" ? "" : edited.name);
  const {busy, failure, submit} = useSubmit(async () => {
    const body = {name: name.trim()};
    await stepUp(() => edited === "new" ? call("POST", "customers", body) : call("PATCH", `customers/${edited.id}`, body));
    await reload();
    close();
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Name" required maxLength={64} error={faultOf(failure, "name")} value={name} onChange={(e) => setName(e.currentTarget.value)} data-autofocus/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={busy} disabled={name.trim() === ""}>{edited === "new" ? "Make the customer" : "Rename"}</Button>
        </Group>
      </Stack>
    </form>
  );
}
