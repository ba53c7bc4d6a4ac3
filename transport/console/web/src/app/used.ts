import {useSyncExternalStore} from "react";

// A page that nobody uses reads nothing, because reading prolongs the session.
const USED_MILLISECONDS = 10 * 60_000;
const CHECK_MILLISECONDS = 5_000;

let lastInput = Date.now();
let used = true;
const watchers = new Set<() => void>();

function set(now: boolean): void {
  if (used === now) return;
  used = now;
  for (const changed of watchers) changed();
}

for (const kind of ["pointerdown", "pointermove", "keydown"]) {
  addEventListener(kind, () => {
    lastInput = Date.now();
    set(true);
  }, {capture: true, passive: true});
}
setInterval(() => set(Date.now() - lastInput < USED_MILLISECONDS), CHECK_MILLISECONDS);

/** isUsed reports whether somebody has used the page in the last ten minutes. */
export function isUsed(): boolean {
  return used;
}

/** watchUsed calls changed whenever isUsed changes, until the function that it returns is called. */
export function watchUsed(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** useUsed is isUsed for components. */
export function useUsed(): boolean {
  return useSyncExternalStore(watchUsed, isUsed);
}
