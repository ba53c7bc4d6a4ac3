import {Button, Group, PasswordInput, Stack, Text} from "@mantine/core";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import {useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Section} from "../../ui/Section";

/** Password changes the user's password; all other sessions end. */
export function Password() {
  const {user} = useSession();
  const stepUp = useStepUp();
  const [password, setPassword] = useState("");
  const [changed, setChanged] = useState(false);
  const {busy, failure, submit} = useSubmit(async () => {
    setChanged(false);
    await stepUp(() => call("POST", "password", {password}));
    setPassword("");
    setChanged(true);
  });
  return (
    <Section title="Password">
      <form onSubmit={submit}>
        <Stack>
          <input type="text" autoComplete="username" value={user} readOnly hidden/>
          <PasswordInput label="New password" description="12 to 256 characters. Your other sessions end." required minLength={12} maxLength={256}
            autoComplete="new-password" error={faultOf(failure, "password")} value={password} onChange={(e) => setPassword(e.currentTarget.value)}/>
          {failure && <Failure error={failure}/>}
          <Group><Button type="submit" variant="default" loading={busy}>Change the password</Button>
            <Text size="sm" role="status">{changed && "The password is changed."}</Text></Group>
        </Stack>
      </form>
    </Section>
  );
}
