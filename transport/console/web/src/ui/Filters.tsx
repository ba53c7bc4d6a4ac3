import {NativeSelect, TextInput} from "@mantine/core";
import {useState} from "react";
import {useSearchParams} from "wouter";
import {local} from "./Time";
import styles from "./Filters.module.css";

/** A filter of a list. Its value is in the URL under the same name. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Shown in an empty field. */
  readonly example?: string;
  /** What can be chosen; without it text is typed. */
  readonly choices?: readonly {readonly value: string; readonly label: string}[];
  /** A day, or a time in the zone of the browser that is a time in UTC in the URL. */
  readonly type?: "date" | "time";
}

/** choices returns what can be chosen for values; the first entry is no filter. */
export function choices(none: string, values: readonly string[]): NonNullable<Filter["choices"]> {
  return [{value: "", label: none}, ...values.map((value) => ({value, label: value.replaceAll("_", " ")}))];
}

export const EXCHANGE: Filter = {name: "exchange", label: "Venue", choices: choices("all", ["binance", "bybit", "okx"])};
export const SYMBOL: Filter = {name: "symbol", label: "Instrument", example: "BTCUSDT"};
export const PERIOD: readonly Filter[] = [{name: "from", label: "From (UTC)", type: "date"}, {name: "to", label: "Before (UTC)", type: "date"}];

/** useFilters returns the values of filters in the URL, without the empty ones. */
export function useFilters(filters: readonly Filter[]): Record<string, string> {
  const [search] = useSearchParams();
  return Object.fromEntries(filters.map(({name}) => [name, search.get(name) ?? ""]).filter(([, value]) => value !== ""));
}

// given returns the choices, and what the URL has besides: a removed channel, or the status 503.
function given(choices: NonNullable<Filter["choices"]>, value: string) {
  return choices.some((one) => one.value === value) ? [...choices] : [...choices, {value, label: value}];
}

// toLocal returns a time in UTC as its field takes it; empty if it is none.
function toLocal(utc: string): string {
  const at = new Date(utc);
  return isNaN(at.getTime()) ? "" : local(at).slice(0, 16).replace(" ", "T");
}

function toUTC(local: string): string {
  const at = new Date(local);
  return isNaN(at.getTime()) ? "" : at.toISOString();
}

/** Filters are the fields above a list. */
export function Filters({filters}: {filters: readonly Filter[]}) {
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string) => setSearch((before) => {
    if (value === "") before.delete(name);
    else before.set(name, value);
    return before;
  }, {replace: true});
  // On a small screen they are folded, unless one is set.
  const [open] = useState(() => !matchMedia("(max-width: 48em)").matches || filters.some(({name}) => search.has(name)));
  return (
    <details open={open} className={styles.fold}><summary>Filters</summary><form role="search" className={styles.filters} onSubmit={(event) => event.preventDefault()}>
      {filters.map(({name, label, example, choices, type}) => {
        const value = search.get(name) ?? "";
        return choices
          ? <NativeSelect key={name} size="xs" label={label} data={given(choices, value)} value={value} onChange={(e) => set(name, e.currentTarget.value)}/>
          : type === "time"
          ? <TextInput key={`${name} ${value}`} size="xs" label={label} type="datetime-local" defaultValue={toLocal(value)}
              onBlur={(e) => e.currentTarget.value !== toLocal(value) && set(name, toUTC(e.currentTarget.value))}/>
          : <TextInput key={`${name} ${value}`} size="xs" label={label} placeholder={example} type={type ?? "text"} maxLength={64} defaultValue={value}
              onBlur={(e) => set(name, e.currentTarget.value.trim())} onKeyDown={(e) => e.key === "Enter" && set(name, e.currentTarget.value.trim())}/>;
      })}
    </form></details>
  );
}
