import {Anchor, Button, Group, PasswordInput, Stack, Text} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link, useLocation} from "wouter";
import {CallError, call, faultOf} from "../../api/client";
import type {RecoveryCodes, SecondStepSecret, SignIn} from "../../api/types";
import {Card} from "../../ui/Card";
import {useSecondsLeft, useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {Totp} from "../../ui/Totp";

// The token is behind the # of the address, so that no server or log sees it; it is removed
// from the address when the page opens. Another link in the same tab changes only what is
// behind the #, so it loads the page again.
const token = takeToken();
addEventListener("hashchange", () => location.hash !== "" && location.reload());

function takeToken(): string {
  const found = location.hash.slice(1);
  if (found) history.replaceState(null, "", location.pathname);
  return found;
}

/** Entered is a user who is signed in now, and the second step that may be set up. */
interface Entered {
  readonly secret: SecondStepSecret;
  /** Whether the console opens only with a second step. */
  readonly required: boolean;
}

/** Enter is where the link of an invitation leads: a password, then the second step. */
export default function Enter() {
  const [entered, setEntered] = useState<Entered>();
  const [codes, setCodes] = useState<Secrets>();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const go = (path: string) => {
    queries.clear();
    navigate(path, {replace: true});
  };
  const confirm = async (code: string) => {
    try {
      return await call<RecoveryCodes>("POST", "totp/confirm", {code});
    } catch (thrown) {
      if (thrown instanceof CallError && thrown.required === "step_up") go("/settings"); // it took too long
      throw thrown;
    }
  };
  if (token === "" && !entered) return <Card title="This link is incomplete"><Text>Open the whole link, with what stands behind the #.</Text><ToSignIn/></Card>;
  if (codes) return <SecretsOnce secrets={codes} close={() => go("/")}/>;
  if (entered) return (
    <Card title="A second step">
      <Totp secret={entered.secret} confirm={confirm}
        confirmed={(made) => setCodes({title: "Recovery codes", note: "Each is good once, in place of a code.", values: [["Recovery codes", made.join("\n")]]})}/>
      {!entered.required && <Group justify="flex-end"><Button variant="subtle" onClick={() => go("/")}>Later</Button></Group>}
    </Card>
  );
  return <Card title="Choose a password"><Password entered={setEntered} leave={() => go("/settings")}/></Card>;
}

function Password({entered, leave}: {entered: (entered: Entered) => void; leave: () => void}) {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const {busy, failure, submit} = useSubmit(async () => {
    const {session} = await call<SignIn>("POST", "session/enter", {token, password});
    try {
      entered({secret: await call<SecondStepSecret>("POST", "totp"), required: session?.secondStepMissing ?? false});
    } catch {
      leave(); // signed in: the second step can be set up there
    }
  });
  const wait = useSecondsLeft(failure);
  const differs = again !== "" && again !== password;
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput label="Password" description="12 to 256 characters." required minLength={12} maxLength={256} autoComplete="new-password"
          error={faultOf(failure, "password") && "Too common, or not of 12 to 256 characters."}
          value={password} onChange={(e) => setPassword(e.currentTarget.value)} autoFocus/>
        <PasswordInput label="Once more" required maxLength={256} autoComplete="new-password" error={differs && "The two are not the same."}
          value={again} onChange={(e) => setAgain(e.currentTarget.value)}/>
        {failure && (failure instanceof CallError && failure.status === 401
          ? <Stack gap={4} role="alert">
            <Text>This link has been used or is too old. If you have just chosen a password with it, sign in. Otherwise ask an owner for a new
              one, or an operator, who makes it with <code className="mono">venuegate console login</code>.</Text><ToSignIn/>
          </Stack>
          : <Failure error={failure}/>)}
        <Button type="submit" loading={busy} disabled={again !== password || wait > 0}>{wait > 0 ? `Wait ${wait} s` : "Go on"}</Button>
      </Stack>
    </form>
  );
}

function ToSignIn() {
  return <Anchor component={Link} href="/sign-in">Sign in</Anchor>;
}
