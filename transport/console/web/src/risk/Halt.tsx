import {Button, Group, Radio, Stack} from "@mantine/core";
import {useState} from "react";
import {CallError, call, isOutcomeUnknown} from "../api/client";
import type {HaltResult, HaltReport, Items, VenueAccount} from "../api/types";
import {useSession} from "../app/session";
import {Dialog} from "../ui/Dialog";
import {useSubmit} from "../ui/form";
import {Failure} from "../ui/Panel";
import styles from "./Risk.module.css";
import {useAccounts, useAccountsChanged, useRisk} from "./read";
import {leftOf} from "./words";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  /** One account; without it all accounts of the customer are halted. */
  readonly account?: VenueAccount | undefined;
}

/** Halt is the kill switch: it asks once, and then shows what is left at each venue until there is nothing. */
export function Halt({opened, close, account}: Props) {
  return (
    <Dialog opened={opened} onClose={close} centered title={account ? `Halt ${account.exchange}` : "Halt all trading"}>
      {opened && <Form account={account} close={close}/>}
    </Dialog>
  );
}

function Form({account, close}: Omit<Props, "opened">) {
  const {customer} = useSession();
  const all = useAccounts();
  const changed = useAccountsChanged();
  const [flatten, setFlatten] = useState(false);
  const [sent, setSent] = useState(false);
  const [results, setResults] = useState<readonly HaltResult[]>();
  const accounts = account ? [account] : all.data?.items ?? [];
  const {busy, failure, submit} = useSubmit(async () => {
    setSent(true);
    try {
      setResults(account ? [await haltOne(account, flatten)] : (await call<Items<HaltResult>>("POST", "halt", {customer, flatten})).items);
    } finally {
      void changed();
    }
  });
  const asked = sent && (failure === undefined || isOutcomeUnknown(failure));
  if (asked) return (
    <Stack>
      <p role="status">{busy ? "Halting: orders are cancelled until the venue has none." : outcome(results)}</p>
      <Progress accounts={accounts} results={results} flatten={flatten}/>
      {failure && <Failure error={failure}/>}
      {!busy && <Group justify="flex-end"><Button onClick={close} data-autofocus>Close</Button></Group>}
    </Stack>
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        {all.error && !account && <Failure error={all.error} retry={() => void all.refetch()} stale={all.data !== undefined}/>}
        <p>{consequence(accounts)}</p>
        <Radio.Group label="How" value={flatten ? "flatten" : "cancel"} onChange={(value) => setFlatten(value === "flatten")}>
          <Stack gap="xs" mt={6}>
            <Radio value="cancel" label="Cancel orders" description="Stop losses and take profits too. Open positions stay, without protection."/>
            <Radio value="flatten" label="Cancel orders and close positions" description="Positions are closed at the market."/>
          </Stack>
        </Radio.Group>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>Keep trading</Button>
          <Button type="submit" color="var(--down)" loading={busy}>{account ? `Halt ${account.exchange}` : "Halt all"}</Button>
        </Group>
      </Stack>
    </form>
  );
}

// One account in the form of all of them.
async function haltOne({id, exchange}: VenueAccount, flatten: boolean): Promise<HaltResult> {
  try {
    const {halt} = await call<VenueAccount & {halt: HaltReport}>("POST", `accounts/${id}/halt`, {flatten});
    return {account: id, exchange, halt, error: null};
  } catch (thrown) {
    if (!(thrown instanceof CallError) || thrown.status < 500 || isOutcomeUnknown(thrown)) throw thrown;
    return {account: id, exchange, halt: null, error: {code: thrown.code, message: thrown.message}};
  }
}

function outcome(results: readonly HaltResult[] | undefined): string {
  if (results === undefined) return "Whether the halt has begun is not known. Below is what each account reports.";
  if (results.length === 0) return "No venue is connected, so there was nothing to halt.";
  if (results.some(({error}) => error)) return "Not every account has reported a halt. Try again, or cancel at the venue.";
  return results.every(({halt}) => halt?.done) ? "Halted." : "The halt is in force. What is left is cancelled again and again until nothing is.";
}

function consequence(accounts: readonly VenueAccount[]): string {
  const where = accounts.length === 0 ? "on every connected venue" : `on ${accounts.map(({exchange}) => exchange).join(", ")}`;
  return `Cancels every order ${where}, also those placed elsewhere, and rejects orders that increase a position until an owner resumes trading. It holds over restarts.`;
}

/** Progress shows what a halt has reached on each account. */
function Progress({accounts, results, flatten}: {accounts: readonly VenueAccount[]; results: readonly HaltResult[] | undefined; flatten: boolean}) {
  return (
    <ul className={styles.progress} aria-label="Progress of the halt">
      {accounts.map((account) => <Row key={account.id} account={account} flatten={flatten} result={results?.find((one) => one.account === account.id)}/>)}
    </ul>
  );
}

const PROGRESS_MILLISECONDS = 1_000;

function Row({account: {id, exchange}, result, flatten}: {account: VenueAccount; result: HaltResult | undefined; flatten: boolean}) {
  const risk = useRisk(id, PROGRESS_MILLISECONDS);
  const live = risk.data?.halt;
  // Until the answer, what is done may be an earlier halt.
  const report = result?.halt?.done ? result.halt : (result || !live?.done ? live : undefined) ?? result?.halt;
  return (
    <li>
      <strong>{exchange}</strong>
      {result?.error && !report?.done ? <span className={styles.bad}>✗ {result.error.message}</span>
        : report?.done ? <span className={styles.good}>✓ {leftOf(report, flatten)}</span>
        : <span className={styles.waiting}>⧗ {report ? leftOf(report, flatten) : "waiting"}</span>}
    </li>
  );
}
