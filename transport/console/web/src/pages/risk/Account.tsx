import {Button} from "@mantine/core";
import type {ReactNode} from "react";
import {call} from "../../api/client";
import type {AccountRisk, VenueAccount} from "../../api/types";
import {mayChange, mayTrade, useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {useAccountsChanged, useRisk} from "../../risk/read";
import {CURRENCY, leftOf, stateOf} from "../../risk/words";
import {Amount} from "../../ui/Amount";
import type {Act} from "../../ui/Confirm";
import {Panel} from "../../ui/Panel";
import {Time} from "../../ui/Time";
import {Loss} from "./Loss";
import styles from "./Page.module.css";

interface Props {
  readonly account: VenueAccount;
  readonly ask: (act: Act) => void;
  readonly halt: () => void;
  readonly limit: () => void;
}

/** Account is the risk of one account. Lock and limits are shown also while its loss cannot be read. */
export function Account({account: listed, ask, halt, limit}: Props) {
  const risk = useRisk(listed.id);
  const account = risk.error ? listed : risk.data ?? listed;
  const {word, mark, look} = stateOf(account);
  return (
    <section className={styles.account} aria-label={listed.exchange}>
      <header className={styles.head}>
        <h2>{listed.exchange} <span className="dim">{listed.environment}</span></h2>
        <span className={styles[look]}><span aria-hidden>{mark}</span> {word}</span>
      </header>
      <Stopped account={account} risk={risk.data} ask={ask}/>
      <Panel title="Loss of the day" query={risk}>{(data) => <Loss risk={data}/>}</Panel>
      <Bounds account={account} limit={limit} halt={halt}/>
    </section>
  );
}

// Why the account takes only reducing orders, and how that ends.
function Stopped({account, risk, ask}: {account: VenueAccount; risk: AccountRisk | undefined; ask: Props["ask"]}) {
  const owner = mayChange(useSession());
  const stepUp = useStepUp();
  const changed = useAccountsChanged();
  const run = (what: string) => async () => {
    await stepUp(() => call("POST", `accounts/${account.id}/${what}`));
    await changed();
  };
  const {halted, lock, exchange} = account;
  const resume = () => ask({title: `Resume ${exchange}`, button: "Resume", consequence: `Orders that increase a position are accepted on ${exchange} again${lock ? ", once the lock has ended too" : ""}. Orders that the halt has cancelled do not come back.`, run: run("resume")});
  const unlock = () => ask({
    title: `Unlock ${exchange}`, button: "Unlock", run: run("unlock"),
    consequence: `The loss so far is forgiven: another ${account.limits.dailyLoss ?? "amount without limit"}${account.limits.dailyLoss ? ` ${CURRENCY}` : ""} may be lost today before ${exchange} is locked again.`,
  });
  return (
    <>
      {halted && <Alert act={owner && <Button size="xs" variant="default" onClick={resume}>Resume</Button>}>
        <p><strong>Halted.</strong> Only orders that reduce a position are accepted, until an owner resumes trading.</p>
        {risk?.halt && <p role="status" className={risk.halt.done ? "dim" : styles.bad}>{risk.halt.done ? `✓ ${leftOf(risk.halt, false)}` : `⧗ ${leftOf(risk.halt, true)}; it is cancelled again and again`}</p>}
      </Alert>}
      {lock && <Alert act={owner && <Button size="xs" variant="default" onClick={unlock}>Unlock</Button>}>
        <p><strong>Locked.</strong> The loss of the day reached <Amount value={lock.actual}/> of <Amount value={lock.threshold} unit={CURRENCY}/>. Only orders that reduce a position are accepted.</p>
        <p className="dim">It ends at <Time at={lock.until} relative/>, or when an owner unlocks.</p>
      </Alert>}
    </>
  );
}

function Alert({children, act}: {children: ReactNode; act: ReactNode}) {
  return <div className={styles.alert}><div>{children}</div>{act}</div>;
}

function Bounds({account: {limits, halted}, limit, halt}: Pick<Props, "account" | "limit" | "halt">) {
  const session = useSession();
  const none = <span className="dim">no limit</span>;
  return (
    <section className={styles.bounds} aria-label="Limits">
      <dl className={styles.facts}>
        <dt>Daily loss</dt><dd>{limits.dailyLoss === null ? none : <Amount value={limits.dailyLoss}/>}</dd>
        <dt>Value of an order</dt><dd>{limits.maxOrderNotional === null ? none : <Amount value={limits.maxOrderNotional}/>}</dd>
        <dt>Open orders</dt><dd className="mono">{limits.maxOpenOrders ?? none}</dd>
      </dl>
      <div className={styles.acts}>
        {mayChange(session) && <Button size="xs" variant="default" onClick={limit}>Change limits</Button>}
        {(mayTrade(session) || session.role === "operator") && <Button size="xs" variant="default" onClick={halt}>{halted ? "Halt again" : "Halt"}</Button>}
      </div>
    </section>
  );
}
