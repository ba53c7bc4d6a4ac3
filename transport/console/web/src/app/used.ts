// A page that stays visible reads on while nobody uses it: what it shows is current. Its calls
// are marked then, so that the session ends in time.
const USED_MILLISECONDS = 10 * 60_000;

let lastInput = Date.now();

for (const kind of ["pointerdown", "pointermove", "keydown"]) {
  addEventListener(kind, () => { lastInput = Date.now(); }, {capture: true, passive: true});
}

/** isUsed reports whether somebody has used the page in the last ten minutes. */
export function isUsed(): boolean {
  return Date.now() - lastInput < USED_MILLISECONDS;
}
