import type {ReactNode} from "react";
import styles from "./State.module.css";

/** Tone is how a state is to be taken. */
export type Tone = "done" | "good" | "bad" | "working" | "warning" | "unknown" | "plain";

const marks: Readonly<Record<Tone, string>> = {done: "●", good: "✓", bad: "✗", working: "○", warning: "!", unknown: "◆", plain: ""};

interface Props {
  readonly tone: Tone;
  /** The shape before the words, if another than that of the tone. */
  readonly mark?: string;
  /** Striped: nothing of it reaches a venue. */
  readonly test?: boolean | undefined;
  /** Shown when pointed at. */
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/** State shows a state by words, shape and colour. */
export function State({tone, mark = marks[tone], test, title, children}: Props) {
  return <span className={`${styles.state} ${styles[tone]} ${test ? styles.test : ""}`} title={title}>{mark !== "" && <span aria-hidden>{mark} </span>}{children}</span>;
}
