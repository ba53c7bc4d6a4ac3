import {useEffect, useState} from "react";

const TICK_MILLISECONDS = 1_000;

/** Elapsed shows how long ago a moment was, each second: "00:41". */
export function Elapsed({since}: {since: string}) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={since} title={`since ${since} (UTC)`} className="mono">{clockOf(now - Date.parse(since))}</time>;
}

/** clockOf returns a duration as minutes and seconds, with hours if there are any. */
export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => part.toString().padStart(2, "0"));
  return (parts[0] === "00" ? parts.slice(1) : parts).join(":");
}
