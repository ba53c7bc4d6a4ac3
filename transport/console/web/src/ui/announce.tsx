import {useSyncExternalStore} from "react";
import styles from "./announce.module.css";

const SHOWN_MILLISECONDS = 4_000;

interface Notice {
  readonly text: string;
  /** Whether it is shown too, not only read aloud. */
  readonly shown: boolean;
}

let notice: Notice = {text: "", shown: false};
let ending: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

function set(next: Notice): void {
  notice = next;
  for (const changed of watchers) changed();
}

/** announce has a text read aloud, and shows it for a moment. */
export function announce(text: string, shown = true): void {
  clearTimeout(ending);
  set({text, shown});
  ending = setTimeout(() => set({text: "", shown: false}), SHOWN_MILLISECONDS);
}

/** copyId copies an id, and announces whether that was possible. */
export async function copyId(id: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(id); // there is none without TLS, except on loopback
    announce(`Copied ${id}`);
  } catch {
    announce("Copying is not allowed");
  }
}

const watch = (changed: () => void) => {
  watchers.add(changed);
  return () => watchers.delete(changed);
};

/** Announcer is the polite region of the page. */
export function Announcer() {
  const {text, shown} = useSyncExternalStore(watch, () => notice);
  return <p role="status" className={shown ? styles.shown : styles.hidden}>{text}</p>;
}
