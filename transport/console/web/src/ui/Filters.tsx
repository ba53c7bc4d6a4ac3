import {NativeSelect, TextInput} from "@mantine/core";
import {useState} from "react";
import {useSearchParams} from "wouter";
import styles from "./Filters.module.css";

/** A filter of a list. Its value is in the URL under the same name. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Shown in an empty field. */
  readonly example?: string;
  /** What can be chosen; without it text is typed. */
  readonly choices?: readonly {readonly value: string; readonly label: string}[];
  readonly type?: "date";
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
          ? <NativeSelect key={name} size="xs" label={label} data={[...choices]} value={value} onChange={(e) => set(name, e.currentTarget.value)}/>
          : <TextInput key={`${name} ${value}`} size="xs" label={label} placeholder={example} type={type ?? "text"} maxLength={64} defaultValue={value}
              onBlur={(e) => set(name, e.currentTarget.value.trim())} onKeyDown={(e) => e.key === "Enter" && set(name, e.currentTarget.value.trim())}/>;
      })}
    </form></details>
  );
}
