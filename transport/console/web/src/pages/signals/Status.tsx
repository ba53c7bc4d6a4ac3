import {Badge} from "@mantine/core";
import type {Signal} from "../../api/types";
import {statusText} from "../../app/text/signals";
import styles from "./Signals.module.css";
import {toneOf, type Tone} from "./history";

const marks: Readonly<Record<Tone, string>> = {good: "✓", bad: "✗", open: "◌", plain: "–"};

/** Status shows the state of a signal by word, shape and colour. */
export function Status({status, test}: {status: Signal["status"]; test: boolean}) {
  const tone = toneOf(status);
  return (
    <Badge variant="default" radius={4} tt="none" className={`${styles.badge ?? ""} ${styles[tone] ?? ""} ${test ? styles.test ?? "" : ""}`}>
      <span aria-hidden>{marks[tone]} </span>{statusText[status] ?? status}{test && status !== "test" && " · test mode"}
    </Badge>
  );
}

/** Outcome shows the result of one thing that happened. */
export function Outcome({tone, text}: {tone: Tone; text: string}) {
  return <span className={styles[tone]}>{tone !== "plain" && <span aria-hidden>{marks[tone]} </span>}{text}</span>;
}
