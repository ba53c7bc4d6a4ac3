// How the numbers of operators are shown. They are counts, sizes and durations, no amounts.
import {shown} from "../../money/format";

const units = ["B", "kB", "MB", "GB", "TB"] as const;
const STEP = 1000;

/** bytes returns a size in the largest unit of which there is at least one. */
export function bytes(count: number): string {
  let size = count, at = 0;
  while (size >= STEP && at < units.length - 1) {
    size /= STEP;
    at++;
  }
  return `${at === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[at] ?? ""}`;
}

/** count returns a count with its thousands apart. */
export function count(value: number): string {
  return shown(value.toFixed(0));
}

const spans: readonly [number, string][] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]];

/** span returns a long duration, given in milliseconds, in its largest unit. */
export function span(milliseconds: number): string {
  const [size, unit] = spans.find(([size]) => milliseconds >= size) ?? [1, "ms"];
  return `${Math.floor(milliseconds / size)} ${unit}`;
}

/** percent returns a share, which is above 0 % if it is above zero. */
export function percent(share: number): string {
  if (share === 0) return "0 %";
  if (share < 0.001) return "< 0.1 %";
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
