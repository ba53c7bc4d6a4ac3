import {Button} from "@mantine/core";
import {useState} from "react";
import {call} from "../../api/client";
import type {RuleResult, SignalHistory, SignalTest} from "../../api/types";
import {stepText, statusText} from "../../app/text/signals";
import {mayTrade, useSession} from "../../app/session";
import {useSubmit} from "../../ui/form";
import {visible} from "../../ui/outside";
import {Failure} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import {State} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {useShortcuts} from "../../ui/shortcuts";
import styles from "./Signals.module.css";
import {field, verdictsOf, type Verdict} from "./history";

/** Now shows what the channel would do with the signal now, beside what it did then. It sends nothing. */
export function Now({history}: {history: SignalHistory}) {
  const trader = mayTrade(useSession());
  const [test, setTest] = useState<SignalTest>();
  const {busy, failure, submit, run} = useSubmit(async () => setTest(await call<SignalTest>("POST", `signals/${history.signal.id}/test`)));
  useShortcuts({r: trader && !busy ? run : undefined});
  if (!trader && history.changes.length === 0) return null;
  return (
    <Section title="Then and now">
      <form className={styles.now} onSubmit={submit}>
        <Changes history={history}/>
        {trader && <div><Button type="submit" size="xs" variant="default" loading={busy}>Dry run</Button> <span className="dim">Shows what the same signal would do now. Nothing is sent.</span></div>}
        {failure && <Failure error={failure}/>}
        {test && <Result history={history} test={test}/>}
      </form>
    </Section>
  );
}

function Changes({history: {changes}}: {history: SignalHistory}) {
  if (changes.length === 0) return <p className="dim">The channel was not changed since.</p>;
  return <p>The channel was changed since: {changes.map((row, at) => <span key={row.id}>{at > 0 && ", "}{field(row, "action") || "change"} <Time at={row.at}/></span>)}.</p>;
}

function Result({history, test}: {history: SignalHistory; test: SignalTest}) {
  return (
    <div role="status" className={styles.now} data-testid="now">
      <p>Then it was <strong>{statusText[history.signal.status]}</strong>, now it would be <strong>{statusText[test.status] ?? test.status}</strong>.{test.testMode && " The channel is in test mode: the plan is the one without it."}</p>
      {test.error && <p className="outside">{visible(test.error.message)} <span className="dim mono">{test.error.code}</span></p>}
      <div className={styles.verdicts}><Table caption="Rules then and now" rows={verdictsOf(history, test)} id={(verdict) => verdict.rule} columns={columns}/></div>
      {test.plan.length > 0 && <ol className={styles.plan}>{test.plan.map((step, at) => (
        <li key={at} className="outside">{stepText[step.step] ?? step.step} <span className="mono">{visible([step.side, step.qty, step.symbol, step.type].filter(Boolean).join(" "))}</span>
          {step.error && <> · <State tone="bad">{visible(step.error.message)}</State></>}
          {step.rules.filter(({passed}) => !passed).map((rule) => <div key={rule.rule}><span className="mono">{rule.rule}</span> <Values result={rule}/></div>)}
        </li>))}</ol>}
    </div>
  );
}

const columns: readonly Column<Verdict>[] = [
  {title: "Rule", cell: ({rule}) => <span className="mono">{rule}</span>},
  {title: "Then", cell: ({then}) => <Verdicted result={then} missing="not reached"/>},
  {title: "Now", cell: ({now}) => <Verdicted result={now} missing="does not apply"/>},
];

function Verdicted({result, missing}: {result: RuleResult | undefined; missing: string}) {
  if (!result) return <span className="dim">– {missing}</span>;
  return <><State tone={result.passed ? "good" : "bad"}>{result.passed ? "passed" : "broken"}</State> <Values result={result}/></>;
}

function Values({result: {given, limit}}: {result: RuleResult}) {
  return <span className="dim outside">{visible([given && `given ${given}`, limit && `limit ${limit}`].filter(Boolean).join(", "))}</span>;
}
