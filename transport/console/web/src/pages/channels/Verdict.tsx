import {Stack, Text} from "@mantine/core";
import type {PlannedStep, RuleResult, SignalAnswer, SignalTest} from "../../api/types";
import {State} from "../../ui/State";
import styles from "./Channels.module.css";

/** Verdict shows what a dry run has found: each rule, and the steps that would be taken. */
export function Verdict({test}: {test: SignalTest}) {
  return (
    <Stack gap="sm" role="status" data-testid="verdict">
      <p><strong>It would be: {test.status}.</strong>{test.duplicate && " Its requestId was used before: nothing would be done."}
        {test.testMode && " The channel is in test mode: the plan is the one without it."}</p>
      {test.error && <p>{test.error.message} <span className="dim mono">{test.error.code}</span></p>}
      {test.rules.length > 0 && <Rules title="Rules of the channel" rules={test.rules}/>}
      {test.plan.length > 0 && <div>
        <Text size="sm" c="dimmed" mb={4}>Plan</Text>
        <ol className={styles.list}>{test.plan.map((step, at) => <li key={at}><Step step={step}/></li>)}</ol>
      </div>}
    </Stack>
  );
}

function Rules({title, rules}: {title: string; rules: readonly RuleResult[]}) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>{title}</Text>
      <ul className={styles.rules}>{rules.map((rule, at) => (
        <li key={at}>
          <State tone={rule.passed ? "good" : "bad"}>{rule.passed ? "passed" : "broken"}</State>
          <span className="mono">{rule.rule}</span>
          <span className="dim">{[rule.given && `given ${rule.given}`, rule.limit && `limit ${rule.limit}`].filter(Boolean).join(" · ")}</span>
          {rule.message && <span className={`outside ${styles.message ?? ""}`}>{rule.message}</span>}
        </li>))}</ul>
    </div>
  );
}

function Step({step}: {step: PlannedStep}) {
  const order = [step.exchange, step.symbol, step.side, step.qty, step.type].filter(Boolean).join(" ");
  return (
    <Stack gap={4}>
      <span>{step.step} <span className="mono">{order}{step.price && ` at ${step.price}`}</span>
        {step.stopLoss && <span className="dim"> · stop loss {step.stopLoss}</span>}{step.takeProfit && <span className="dim"> · take profit {step.takeProfit}</span>}</span>
      {step.error && <span>{step.error.message} <span className="dim mono">{step.error.code}</span></span>}
      {step.rules && step.rules.length > 0 && <Rules title="Rules of the account" rules={step.rules}/>}
    </Stack>
  );
}

/** Answer shows what the service has answered to a signal. */
export function Answer({answer}: {answer: SignalAnswer}) {
  return (
    <dl className={styles.facts} role="status" data-testid="answer">
      <dt>Status</dt><dd><strong>{answer.status}</strong>{answer.duplicate && " · it had arrived before"}</dd>
      <dt>Filled</dt><dd className="mono">{answer.filledQty}{answer.avgPrice && ` at ${answer.avgPrice}`}</dd>
      <dt>Order</dt><dd className="mono">{answer.orderId ?? "–"}</dd>
      <dt>requestId</dt><dd className="mono">{answer.requestId}</dd>
    </dl>
  );
}
