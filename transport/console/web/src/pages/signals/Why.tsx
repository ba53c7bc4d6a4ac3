import {sentenceOf} from "../../app/text/signals";
import type {SignalHistory} from "../../api/types";
import {visible} from "../../ui/outside";
import styles from "./Signals.module.css";
import {field} from "./history";

/** Why says in a sentence why a signal did not do what it says, and what helps. */
export function Why({history}: {history: SignalHistory}) {
  const {signal, rows} = history;
  const {error} = signal;
  if (signal.status === "test") return <p className={styles.why}>The channel was in test mode: the signal took the whole path, and nothing was sent to a venue.</p>;
  if (signal.status === "ignored") return <p className={styles.why}>The order is opposite to the open position, and the channel ignores opposite signals. Nothing was sent.</p>;
  if (signal.status === "expired") return <p className={styles.why}>The signal became too old before all of it was done; nothing was sent afterwards. {error && visible(error.message)}</p>;
  if (!error) return null;
  const sentence = sentenceOf(error.code, error.reason);
  const broken = rows.find((row) => row.kind === "signal.rule" && row.result === "refused");
  const [given, limit] = broken ? [field(broken, "given"), field(broken, "limit")] : ["", ""];
  return (
    <div className={`${styles.why ?? ""} ${styles.refused ?? ""}`} data-testid="why">
      <p><strong>{sentence?.why ?? visible(error.message)}</strong> {sentence?.todo}</p>
      {(given !== "" || limit !== "") && <p className="outside">Given <span className="mono">{visible(given) || "nothing"}</span>{limit && <>, the limit is <span className="mono">{visible(limit)}</span></>}.</p>}
      <p className="dim outside"><span className="mono">{error.code}{error.reason && ` · ${error.reason}`}</span> · {visible(error.message)}
        {error.venueMessage && <> · the venue: {error.venueCode} {visible(error.venueMessage)}</>}</p>
    </div>
  );
}
