import {Button, Group, Modal, PasswordInput, Stack, Text, TextInput} from "@mantine/core";
import {createContext, use, useRef, useState, type ReactNode} from "react";
import {CallError, Cancelled, call} from "../api/client";
import {useSecondsLeft, useSubmit} from "../ui/form";
import {Failure} from "../ui/Panel";
import {useSession} from "./session";

type Act<T> = () => Promise<T>;

/** Runs an act; if the service asks for password and code first, asks for them and runs it again. */
export type StepUp = <T>(act: Act<T>) => Promise<T>;

const Context = createContext<StepUp | undefined>(undefined);
const Asking = createContext(false);

/** useIsAsking reports whether the dialog of the step-up is open; the one below it then ignores the Escape key. */
export function useIsAsking(): boolean {
  return use(Asking);
}

/** useStepUp returns the function that runs acts for which signing in anew may be needed. */
export function useStepUp(): StepUp {
  const stepUp = use(Context);
  if (!stepUp) throw new Error("step-up is used outside of a session");
  return stepUp;
}

interface Asked {
  readonly done: () => void;
  readonly given: (reason: Error) => void;
}

/** WithStepUp asks for password and code in a dialog and then goes on with the act. */
export function WithStepUp({children}: {children: ReactNode}) {
  const [asked, setAsked] = useState<Asked>();
  const asking = useRef<Promise<void>>(undefined);

  const confirm = () => {
    asking.current ??= new Promise<void>((done, given) => setAsked({done, given}))
      .finally(() => {
        asking.current = undefined;
        setAsked(undefined);
      });
    return asking.current;
  };
  const stepUp: StepUp = async (act) => {
    try {
      return await act();
    } catch (thrown) {
      if (!(thrown instanceof CallError) || thrown.required !== "step_up") throw thrown;
    }
    await confirm();
    return act();
  };

  return (
    <Context value={stepUp}>
      <Asking value={asked !== undefined}>{children}</Asking>
      <Modal opened={asked !== undefined} onClose={() => asked?.given(new Cancelled())} title="Confirm that it is you" centered zIndex={300}>
        {asked && <Form done={asked.done}/>}
      </Modal>
    </Context>
  );
}

function Form({done}: {done: () => void}) {
  const {secondStep} = useSession();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const {busy, failure, submit} = useSubmit(async () => {
    await call("POST", "session/step-up", secondStep ? {password, code: code.trim()} : {password});
    done();
  });
  const wait = useSecondsLeft(failure);

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">This is asked for changes of keys, secrets, limits and users. It holds for five minutes.</Text>
        <PasswordInput label="Password" required autoComplete="current-password" value={password} onChange={(e) => setPassword(e.currentTarget.value)} data-autofocus/>
        {secondStep && <TextInput label="Code" description="From your authenticator, or one of your recovery codes." required autoComplete="one-time-code" maxLength={32}
          value={code} onChange={(e) => setCode(e.currentTarget.value)}/>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end"><Button type="submit" loading={busy} disabled={wait > 0}>{wait > 0 ? `Wait ${wait} s` : "Confirm"}</Button></Group>
      </Stack>
    </form>
  );
}
