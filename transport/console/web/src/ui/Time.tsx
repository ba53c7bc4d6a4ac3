import {Tooltip} from "@mantine/core";

const TICK = 1000;
const units: [number, string][] = [[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]];

/** Time shows a moment in the zone of the browser, in UTC when pointed at. */
export function Time({at, relative}: {at: string | null | undefined; relative?: boolean}) {
  if (!at) return <span className="dim">–</span>;
  const moment = new Date(at);
  return (
    <Tooltip label={`${at} (UTC)`} events={{hover: true, focus: true, touch: true}}>
      <time dateTime={at} className="mono">{local(moment)}{relative && <span className="dim"> · {ago(moment, new Date())}</span>}</time>
    </Tooltip>
  );
}

/** local returns a moment as 2026-11-23 19:15:27, in the zone of the browser. */
export function local(at: Date): string {
  const two = (n: number) => n.toString().padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** ago returns the distance of two moments in its largest unit. */
export function ago(at: Date, now: Date): string {
  const passed = Math.round((now.getTime() - at.getTime()) / TICK);
  const [size, unit] = units.find(([size]) => Math.abs(passed) >= size) ?? [1, "s"];
  const count = Math.round(Math.abs(passed) / size);
  return passed < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}
