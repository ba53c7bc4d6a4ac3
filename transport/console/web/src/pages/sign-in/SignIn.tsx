import {Anchor, Button, PasswordInput, Stack, Text, TextInput} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useCallback, useEffect, useState} from "react";
import {useLocation, useSearchParams} from "wouter";
import {CallError, call} from "../../api/client";
import type {SignIn} from "../../api/types";
import {Card} from "../../ui/Card";
import {useSecondsLeft, useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";

/** SignIn asks for login and password, and for a code if the user has a second step. */
export default function SignIn() {
  const [ticket, setTicket] = useState<string>();
  const again = useCallback(() => setTicket(undefined), []);
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const next = (answer: SignIn) => {
    if (answer.ticket !== null) {
      setTicket(answer.ticket);
      return;
    }
    queries.clear();
    navigate(inside(search.get("next")), {replace: true});
  };
  return (
    <Card title="Sign in">
      {ticket === undefined ? <Password next={next}/> : <Code ticket={ticket} next={next} back={again}/>}
    </Card>
  );
}

const TICKET_MILLISECONDS = 5 * 60_000;

type Next = (answer: SignIn) => void;

function Password({next}: {next: Next}) {
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const {busy, failure, submit} = useSubmit(async () => next(await call<SignIn>("POST", "session", {login, password})));
  const wait = useSecondsLeft(failure);
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Login" required autoComplete="username" autoCapitalize="none" spellCheck={false} maxLength={64}
          value={login} onChange={(e) => setLogin(e.currentTarget.value)} autoFocus/>
        <PasswordInput label="Password" required autoComplete="current-password" maxLength={256}
          value={password} onChange={(e) => setPassword(e.currentTarget.value)}/>
        {failure && <Failure error={failure}/>}
        <Button type="submit" loading={busy} disabled={wait > 0}>{wait > 0 ? `Wait ${wait} s` : "Sign in"}</Button>
        <Text size="sm" c="dimmed">No access any more? An operator makes a new link with <code className="mono">venuegate console login</code>.</Text>
      </Stack>
    </form>
  );
}

function Code({ticket, next, back}: {ticket: string; next: Next; back: () => void}) {
  const [code, setCode] = useState("");
  const {busy, failure, submit} = useSubmit(async () => next(await call<SignIn>("POST", "session/totp", {ticket, code: code.trim()})));
  const wait = useSecondsLeft(failure);
  useEffect(() => { // the password is good for this long
    const timer = setTimeout(back, TICKET_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [ticket, back]);
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Code" description="From your authenticator, or one of your recovery codes." required
          autoComplete="one-time-code" inputMode="text" maxLength={32} value={code} onChange={(e) => setCode(e.currentTarget.value)} autoFocus/>
        {failure && (failure instanceof CallError && failure.status === 401
          ? <Text role="alert">The code is wrong, was used before, or came too late. Enter the next one, or start again.</Text>
          : <Failure error={failure}/>)}
        <Button type="submit" loading={busy} disabled={wait > 0}>{wait > 0 ? `Wait ${wait} s` : "Sign in"}</Button>
        <Anchor component="button" type="button" size="sm" onClick={back}>Another login</Anchor>
      </Stack>
    </form>
  );
}

// inside returns the page to go to, which is never one of another site.
function inside(next: string | null): string {
  return next?.startsWith("/") && !next.startsWith("//") ? next : "/";
}
