// The service lists at most 31 days of fills at a time; longer periods are read window by window.
const WINDOW_MILLISECONDS = 31 * 86_400_000;

/** A period from its start to before its end, in RFC 3339. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** firstWindow returns the newest window of a period; its dates are days in UTC, and both may be missing. */
export function firstWindow(now: Date, from: string | undefined, to: string | undefined): Window {
  return before(to === undefined ? now : new Date(to), from);
}

/** windowBefore returns the window before another one, or undefined at the start of the period. */
export function windowBefore(window: Window, from: string | undefined): Window | undefined {
  return from !== undefined && window.from <= new Date(from).toISOString() ? undefined : before(new Date(window.from), from);
}

function before(to: Date, from: string | undefined): Window {
  const start = Math.max(to.getTime() - WINDOW_MILLISECONDS, from === undefined ? 0 : Math.min(new Date(from).getTime(), to.getTime()));
  return {from: new Date(start).toISOString(), to: to.toISOString()};
}
