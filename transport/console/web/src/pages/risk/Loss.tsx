import type {AccountRisk} from "../../api/types";
import {signOf} from "../../money/decimal";
import {shown} from "../../money/format";
import {CURRENCY} from "../../risk/words";
import {Amount} from "../../ui/Amount";
import {Time} from "../../ui/Time";
import styles from "./Page.module.css";
import {meterOf} from "./meter";

/** Loss shows the loss of the day against its limit, and the parts that it is made of. */
export function Loss({risk}: {risk: AccountRisk}) {
  const {realized, fees, unrealizedChange, forgiven, loss, remaining, uncountedFees, limits: {dailyLoss}} = risk;
  return (
    <div className={styles.loss}>
      <Meter loss={loss} limit={dailyLoss}/>
      <dl className={styles.facts}>
        <dt>Realized</dt><dd><Amount value={realized} gain/></dd>
        <dt>Fees</dt><dd><Amount value={negative(fees)} gain/></dd>
        <dt>Unrealized, change since 00:00 UTC</dt><dd>{unrealizedChange === null ? <Unknown/> : <Amount value={unrealizedChange} gain/>}</dd>
        {signOf(forgiven) !== 0 && <><dt>Forgiven by an unlock</dt><dd><Amount value={forgiven}/></dd></>}
        <dt className={styles.sum}>Loss</dt><dd className={styles.sum}>{loss === null ? <Unknown/> : <Amount value={loss}/>}</dd>
        {dailyLoss !== null && <><dt>May still be lost</dt><dd>{remaining === null ? <Unknown/> : <Amount value={signOf(remaining) < 0 ? "0" : remaining}/>}</dd></>}
      </dl>
      {uncountedFees.length > 0 && <p className={styles.note}>Not counted, because the price of the currency is not known: fees of {uncountedFees.map(({currency, amount}) => `${shown(amount)} ${currency}`).join(", ")}.</p>}
      <p className="dim">Positions as of <Time at={risk.asOf}/></p>
    </div>
  );
}

function Unknown() {
  return <span className={styles.unknown}>not known</span>;
}

function Meter({loss, limit}: {loss: string | null; limit: string | null}) {
  const {text, percent, look} = meterOf(loss, limit, CURRENCY);
  return (
    <div className={styles.meter}>
      <p className={styles.figure}>{text}</p>
      {limit !== null && <div role="meter" aria-label="Loss of the day against its limit" aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent} aria-valuetext={text} className={styles.track}>
        <i className={styles[look]} style={{width: `${percent}%`}}/>
      </div>}
    </div>
  );
}

// Fees are costs: what is paid is shown as a loss.
function negative(fees: string): string {
  return signOf(fees) === 0 ? fees : fees.startsWith("-") ? fees.slice(1) : `-${fees}`;
}
