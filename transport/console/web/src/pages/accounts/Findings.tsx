import type {CheckResult} from "../../api/types";
import {visible} from "../../ui/outside";
import styles from "./Accounts.module.css";

const marks: Readonly<Record<CheckResult["status"], {readonly mark: string; readonly word: string; readonly look: string | undefined}>> = {
  ok: {mark: "✓", word: "good", look: styles.good},
  warning: {mark: "!", word: "look at this", look: styles.warning},
  failed: {mark: "✗", word: "not possible", look: styles.bad},
};

const accountChecks: Readonly<Record<string, string>> = {
  reachable: "Venue", clock: "Clock", key: "Key", account_type: "Account type", position_mode: "Position mode", margin_mode: "Margin mode", permissions: "Permissions",
};

/** Findings lists the results of the checks of an account, or of what has checks of other names, each with what to do about it. */
export function Findings({results, names = accountChecks}: {results: readonly CheckResult[]; names?: Readonly<Record<string, string>>}) {
  return (
    <ul className={styles.findings} aria-label="Findings">
      {results.map(({check, status, text, advice}, at) => {
        const {mark, word, look} = marks[status];
        return (
          <li key={at} data-check={check} data-status={status}>
            <span className={look} aria-hidden>{mark}</span>
            <div><p><strong>{names[check] ?? check}</strong> <span className={look}>{word}</span></p>
              <p className="outside">{visible(text)}</p>
              {advice && <p className={`outside ${styles.advice}`}>{visible(advice)}</p>}</div>
          </li>);
      })}
    </ul>
  );
}

/** verdictOf says whether an account with these results can be connected. */
export function verdictOf(results: readonly CheckResult[]): string {
  const [failed, warned] = [count(results, "failed"), count(results, "warning")];
  if (results.some(({check, status}) => check === "reachable" && status === "failed")) return "The venue does not answer, so nothing could be checked. Nothing is kept: try again.";
  if (failed > 0) return `${failed === 1 ? "One check has" : `${failed} checks have`} failed. The account cannot be connected like this, and nothing is kept.`;
  return warned > 0 ? "The account can be connected. Read the warnings first." : "Everything is good.";
}

function count(results: readonly CheckResult[], status: CheckResult["status"]): number {
  return results.filter((one) => one.status === status).length;
}
