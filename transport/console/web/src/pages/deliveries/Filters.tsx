import {NativeSelect, TextInput} from "@mantine/core";
import {useSearchParams} from "wouter";
import type {Endpoint} from "../../api/types";
import {eventTypes, nameOf} from "../../outbound/words";
import styles from "./Deliveries.module.css";

const names = ["endpoint", "status", "type", "code", "from"] as const;

/** The filters of the list as the service takes them, by name. Those that are absent do not filter. */
export type Chosen = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** useChosen returns the filters in the URL. */
export function useChosen(): Chosen {
  const [search] = useSearchParams();
  return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""]).filter(([, value]) => value !== ""));
}

const statuses = [{value: "", label: "all"}, {value: "pending", label: "pending"}, {value: "delivered", label: "delivered"}, {value: "undelivered", label: "undelivered"}];
const codes = [
  {value: "", label: "all"}, {value: "none", label: "no answer"}, {value: "5xx", label: "5xx"}, {value: "4xx", label: "4xx"}, {value: "3xx", label: "3xx"}, {value: "2xx", label: "2xx"},
];

/** Filters are the fields above the list. */
export function Filters({endpoints}: {endpoints: readonly Endpoint[]}) {
  const [search, setSearch] = useSearchParams();
  const value = (name: string) => search.get(name) ?? "";
  const set = (name: string, value: string) => setSearch((before) => {
    if (value === "") before.delete(name);
    else before.set(name, value);
    return before;
  }, {replace: true});
  // What came with the address is shown too, such as the status 503 or a removed endpoint.
  const given = (name: string, data: readonly {value: string; label: string}[]) =>
    data.some((one) => one.value === value(name)) ? [...data] : [...data, {value: value(name), label: value(name)}];
  const select = (name: string, label: string, data: readonly {value: string; label: string}[]) =>
    <NativeSelect size="xs" label={label} data={given(name, data)} value={value(name)} onChange={(e) => set(name, e.currentTarget.value)}/>;
  return (
    <form role="search" className={styles.filters} onSubmit={(event) => event.preventDefault()}>
      {select("endpoint", "Endpoint", [{value: "", label: "all"}, ...endpoints.map((e) => ({value: e.id, label: nameOf(e)}))])}
      {select("status", "Status", statuses)}
      {select("type", "Type", [{value: "", label: "all"}, ...eventTypes.map(({type}) => ({value: type, label: type}))])}
      {select("code", "Answer", codes)}
      <TextInput key={value("from")} size="xs" type="datetime-local" label="Queued since" defaultValue={toLocal(value("from"))}
        onBlur={(e) => set("from", toUTC(e.currentTarget.value))}/>
    </form>
  );
}

// toLocal returns a moment as the field takes it, in the zone of the browser.
function toLocal(utc: string): string {
  const at = new Date(utc);
  if (isNaN(at.getTime())) return "";
  const two = (n: number) => n.toString().padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

function toUTC(local: string): string {
  const at = new Date(local);
  return local === "" || isNaN(at.getTime()) ? "" : at.toISOString();
}
