import {Button, Group, Stack} from "@mantine/core";
import {useState} from "react";
import {call} from "../../api/client";
import type {CheckResult, Items, VenueAccount} from "../../api/types";
import {useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {useAccountsChanged} from "../../risk/read";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {CredentialFields, type Credentials} from "./Credentials";
import {Findings, verdictOf} from "./Findings";
import {Recipe} from "./Recipe";

/** The venue of an account, and the account if its credentials are replaced. */
export interface Target {
  readonly exchange: string;
  readonly environment: string;
  readonly account: VenueAccount | undefined;
}

interface Props {
  readonly target: Target | undefined;
  readonly close: () => void;
  readonly connected: (account: VenueAccount) => void;
}

const steps = ["Key", "Credentials", "Findings"] as const;
type Step = 0 | 1 | 2;

/** Connect is the wizard that connects an account or replaces its credentials: how the key is made, its credentials, and what an examination finds. What is typed is forgotten with the dialog. */
export function Connect({target, close, connected}: Props) {
  const asking = useIsAsking();
  const [step, setStep] = useState<Step>(0);
  const ended = () => {
    setStep(0);
    close();
  };
  return (
    <Dialog opened={target !== undefined} onClose={ended} centered size="lg" closeOnEscape={!asking} closeOnClickOutside={false}
      title={<span role="status">{target?.account ? "Replace the key of" : "Connect"} {target?.exchange} · {step + 1} of {steps.length} · {steps[step]}</span>}>
      {target && <Wizard target={target} step={step} setStep={setStep} close={ended} connected={(account) => {
        setStep(0);
        connected(account);
      }}/>}
    </Dialog>
  );
}

interface WizardProps extends Props {
  readonly target: Target;
  readonly step: Step;
  readonly setStep: (step: Step) => void;
}

function Wizard({target: {exchange, environment, account}, step, setStep, close, connected}: WizardProps) {
  const session = useSession();
  const customer = account?.customer ?? session.customer;
  const stepUp = useStepUp();
  const changed = useAccountsChanged();
  const [credentials, setCredentials] = useState<Credentials>({apiKey: "", apiSecret: "", passphrase: ""});
  const [findings, setFindings] = useState<readonly CheckResult[]>([]);
  const body = bodyOf(credentials);
  const examine = useSubmit(async () => {
    setFindings((await stepUp(() => call<Items<CheckResult>>("POST", "accounts/examine", {customer, exchange, ...body}))).items);
    setStep(2);
  });
  const connect = useSubmit(async () => {
    const made = await stepUp(() => account
      ? call<VenueAccount>("PATCH", `accounts/${account.id}`, body)
      : call<VenueAccount>("POST", "accounts", {customer, exchange, ...body}));
    await changed();
    connected(made);
  });
  if (step === 0) return (
    <form onSubmit={(event) => {
      event.preventDefault();
      setStep(1);
    }}>
      <Stack>
        <Recipe exchange={exchange} environment={environment}/>
        <Group justify="flex-end"><Button variant="default" onClick={close}>Cancel</Button><Button type="submit" data-autofocus>I have the key</Button></Group>
      </Stack>
    </form>
  );
  if (step === 1) return (
    <form onSubmit={examine.submit} autoComplete="off">
      <Stack>
        <CredentialFields exchange={exchange} value={credentials} set={setCredentials} failure={examine.failure}/>
        {examine.failure && <Failure error={examine.failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setStep(0)} disabled={examine.busy}>Back</Button>
          <Button type="submit" loading={examine.busy} disabled={!body.apiKey || !body.apiSecret}>Examine</Button>
        </Group>
      </Stack>
    </form>
  );
  const possible = findings.length > 0 && findings.every(({status}) => status !== "failed");
  return (
    <form onSubmit={connect.submit}>
      <Stack>
        <p role="status">{verdictOf(findings)}</p>
        <Findings results={findings}/>
        {connect.failure && <Failure error={connect.failure}/>}
        {examine.failure && <Failure error={examine.failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setStep(1)} disabled={connect.busy || examine.busy}>Back</Button>
          {possible
            ? <Button type="submit" loading={connect.busy} data-autofocus>{account ? "Replace the key" : `Connect · ${environment}`}</Button>
            : <Button variant="default" onClick={examine.run} loading={examine.busy} data-autofocus>Examine again</Button>}
        </Group>
      </Stack>
    </form>
  );
}

// A passphrase is only sent where there is one.
function bodyOf({apiKey, apiSecret, passphrase}: Credentials): Partial<Credentials> {
  return {apiKey: apiKey.trim(), apiSecret: apiSecret.trim(), ...(passphrase !== "" && {passphrase})};
}
