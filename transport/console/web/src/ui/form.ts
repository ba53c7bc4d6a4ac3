import {createContext, use, useEffect, useState, type FormEvent} from "react";
import {CallError, Cancelled} from "../api/client";

/** Submitting is the function of the dialog around a form that takes whether the form is being submitted. */
export const Submitting = createContext<(submitting: boolean) => void>(() => undefined);

/** useSubmit runs act when a form is submitted, and holds whether it runs and how it failed. */
export function useSubmit(act: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const submitting = use(Submitting);
  const run = async () => {
    setBusy(true);
    submitting(true);
    setFailure(undefined);
    try {
      await act();
    } catch (thrown) {
      if (!(thrown instanceof Cancelled)) setFailure(thrown as Error);
    } finally {
      setBusy(false);
      submitting(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return {busy, failure, submit, run: () => void run()};
}

const SECOND = 1000;

/** useSecondsLeft counts down how long the limit on attempts still holds that failure reports. */
export function useSecondsLeft(failure: Error | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  const until = failure instanceof CallError ? failure.at + (failure.retryAfterSeconds ?? 0) * SECOND : 0;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((until - Math.max(now, failure instanceof CallError ? failure.at : 0)) / SECOND));
}
