import {Button, Group, NativeSelect, Radio, Stack, TextInput} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import type {Customer, Items, Role, User} from "../../api/types";
import {useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";

/** The roles of a customer's users, from the least to the most. */
export const roles: readonly {readonly role: Role; readonly may: string}[] = [
  {role: "viewer", may: "Sees everything, changes nothing."},
  {role: "trader", may: "Also places, changes and cancels orders, halts trading, and resends events."},
  {role: "owner", may: "Also keys, channels, endpoints, venue accounts, limits and users."},
];

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: (user: User) => void;
}

/** NewUser is the dialog that makes a user; a link to set the password follows. */
export function NewUser(props: Props) {
  const asking = useIsAsking();
  return <Dialog opened={props.opened} onClose={props.close} title="New user" centered closeOnEscape={!asking}><Form {...props}/></Dialog>;
}

function Form({close, created}: Props) {
  const session = useSession();
  const [customer, setCustomer] = useState(session.customer);
  const stepUp = useStepUp();
  const [login, setLogin] = useState("");
  const [role, setRole] = useState<string>("viewer");
  const {busy, failure, submit} = useSubmit(async () => created(await stepUp(() => call<User>("POST", "users", {customer, login: login.trim(), role}))));
  return (
    <form onSubmit={submit}>
      <Stack>
        {session.role === "operator" && <OfCustomer value={customer} choose={setCustomer}/>}
        <TextInput label="Login" required maxLength={64} autoCapitalize="none" spellCheck={false} autoComplete="off" error={faultOf(failure, "login")}
          value={login} onChange={(e) => setLogin(e.currentTarget.value)} data-autofocus/>
        <Radio.Group label="Role" value={role} onChange={setRole}>
          <Stack gap="xs" mt={6}>{roles.map(({role, may}) => <Radio key={role} value={role} label={role} description={may}/>)}</Stack>
        </Radio.Group>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={busy} disabled={login.trim() === "" || customer === ""}>Make the user</Button>
        </Group>
      </Stack>
    </form>
  );
}

// OfCustomer is where an operator chooses the customer of the user.
function OfCustomer({value, choose}: {value: string; choose: (customer: string) => void}) {
  const customers = useQuery({queryKey: ["customers"], queryFn: () => call<Items<Customer>>("GET", "customers")});
  if (customers.error) return <Failure error={customers.error} retry={() => void customers.refetch()}/>;
  const data = customers.data?.items.filter(({disabled}) => !disabled).map(({id, name}) => ({value: id, label: name})) ?? [];
  return <NativeSelect label="Customer" required data={[{value: "", label: "choose"}, ...data]} value={value} onChange={(e) => choose(e.currentTarget.value)}/>;
}
