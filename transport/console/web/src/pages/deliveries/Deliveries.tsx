import {Button, Checkbox, Group} from "@mantine/core";
import {useInfiniteQuery, useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {Link, useSearchParams} from "wouter";
import {call} from "../../api/client";
import type {Delivery, Endpoint, Items, Page} from "../../api/types";
import {mayTrade, pollWhileVisible, useSession} from "../../app/session";
import {keyOf} from "../../outbound/resend";
import {answerOf, duration, eventTypes, nameOf, soon} from "../../outbound/words";
import {Filters, choices, useFilters, type Filter} from "../../ui/Filters";
import {Failure, Panel} from "../../ui/Panel";
import {State} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {Detail} from "./Detail";
import styles from "./Deliveries.module.css";
import {Resend} from "./Resend";

const PAGE_ROWS = 100;
const POLL_MILLISECONDS = 5_000;

function filtersOf(endpoints: readonly Endpoint[]): readonly Filter[] {
  return [
    {name: "endpoint", label: "Endpoint", choices: [{value: "", label: "all"}, ...endpoints.map((e) => ({value: e.id, label: nameOf(e)}))]},
    {name: "status", label: "Status", choices: choices("all", ["pending", "delivered", "undelivered"])},
    {name: "type", label: "Type", choices: [{value: "", label: "all"}, ...eventTypes.map(({type}) => ({value: type, label: type}))]},
    {name: "code", label: "Answer", choices: [{value: "", label: "all"}, {value: "none", label: "no answer"}, ...["5xx", "4xx", "3xx", "2xx"].map((value) => ({value, label: value}))]},
    {name: "eventId", label: "Event id", example: "evt_…"},
    {name: "from", label: "Queued since", type: "time"},
  ];
}

/** Deliveries lists what is sent to all endpoints, newest first; its filters and the open delivery are in the URL. */
export default function Deliveries() {
  const chosen = useFilters(filtersOf([]));
  const [search, setSearch] = useSearchParams();
  const queries = useQueryClient();
  const sends = mayTrade(useSession());
  const [marked, setMarked] = useState<readonly string[]>([]);
  const endpoints = useQuery({queryKey: ["endpoints"], queryFn: () => call<Items<Endpoint>>("GET", "endpoints"), refetchInterval: pollWhileVisible});
  const rows = useInfiniteQuery({
    queryKey: ["deliveries", chosen],
    queryFn: ({pageParam}) => call<Page<Delivery>>("GET", `deliveries?${new URLSearchParams({...chosen, limit: `${PAGE_ROWS}`, ...pageParam}).toString()}`),
    // Later pages are not read again while they are being read by the user.
    refetchInterval: ({state}) => (state.data?.pages.length ?? 1) === 1 && pollWhileVisible() && POLL_MILLISECONDS,
    initialPageParam: {} as {cursor?: string},
    getNextPageParam: ({nextCursor}) => nextCursor === null ? undefined : {cursor: nextCursor},
  });
  const known = endpoints.data?.items ?? [];
  const listed = rows.data?.pages.flatMap(({items}) => items) ?? [];
  const selected = listed.map(keyOf).filter((key) => marked.includes(key)); // what a filter hides is not resent
  const open = (key: string) => setSearch((before) => {
    if (key === "") before.delete("open");
    else before.set("open", key);
    return before;
  });
  const reload = async () => {
    setMarked([]);
    await Promise.all(["deliveries", "delivery", "attempts"].map((name) => queries.invalidateQueries({queryKey: [name]})));
  };
  const opened = search.get("open") ?? "";
  return (
    <>
      <h1>Deliveries</h1>
      {known.filter((e) => e.disabled !== "" && (chosen.endpoint ?? e.id) === e.id).map((e) => <div key={e.id} className={styles.disabled}>
        Nothing is sent to <Link href={`/endpoints/${e.id}`}>{nameOf(e)}</Link>: {e.disabled}. Its events wait until an owner resumes it.
      </div>)}
      <Filters filters={filtersOf(known)}/>
      {sends && <Resend selected={selected} endpoints={known} chosen={chosen} done={reload}/>}
      <Panel title="Events sent" query={rows.isFetchNextPageError ? {...rows, error: null} : rows} empty={{when: ({pages}) => !rows.hasNextPage && pages.every(({items}) => items.length === 0), text: empty(chosen, known)}}>
        {() => <Table caption="Deliveries" id={keyOf} rows={listed}
          columns={columns(known, open, sends ? {marked: selected, toggle: (key) => setMarked((all) => all.includes(key) ? all.filter((one) => one !== key) : [...all, key])} : undefined)}/>}
      </Panel>
      {rows.isFetchNextPageError && <Failure error={rows.error} retry={() => void rows.fetchNextPage()}/>}
      {rows.hasNextPage && <Group justify="center">
        <Button variant="default" loading={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>Older deliveries</Button>
      </Group>}
      <Detail id={opened} endpoint={known.find((e) => opened.startsWith(`${e.id}/`))} close={() => open("")} resent={sends ? reload : undefined}/>
    </>
  );
}

function empty(chosen: object, endpoints: readonly Endpoint[]) {
  if (Object.keys(chosen).length > 0) return "No delivery matches these filters.";
  if (endpoints.length > 0) return "Nothing has been sent yet. Each event that an endpoint receives is a row here, with its attempts and answers.";
  return <>No endpoint yet. An endpoint is where your events are sent: fills, closed positions, alerts. <Link href="/endpoints">Make one</Link>.</>;
}

interface Marks {
  readonly marked: readonly string[];
  readonly toggle: (key: string) => void;
}

function columns(endpoints: readonly Endpoint[], open: (key: string) => void, marks: Marks | undefined): Column<Delivery>[] {
  const name = (id: string) => endpoints.find((e) => e.id === id);
  const all: Column<Delivery>[] = [
    {title: "Queued", cell: (d) => <Time at={d.createdAt}/>},
    {title: "Event", cell: (d) => <button type="button" className={styles.open} aria-label={`Open ${d.type} ${d.eventId}`} onClick={() => open(keyOf(d))}>{d.type}</button>},
    {title: "Endpoint", cell: (d) => {
      const to = name(d.endpoint);
      return to ? <span className="outside">{nameOf(to)}</span> : <span className="mono dim">{d.endpoint}</span>;
    }},
    {title: "Status", cell: (d) => <Status delivery={d}/>},
    {title: "Answer", number: true, cell: (d) => answerOf(d) ?? "–"},
    {title: "Took", number: true, cell: (d) => answerOf(d) ? duration(d.lastMs) : "–"},
  ];
  if (!marks) return all;
  return [{title: "Select", acts: true, cell: (d) => <Checkbox size="xs" aria-label={`Select ${d.type} ${d.eventId}`} disabled={!name(d.endpoint)}
    checked={marks.marked.includes(keyOf(d))} onChange={() => marks.toggle(keyOf(d))}/>}, ...all];
}

/** Status shows what became of a delivery. */
export function Status({delivery: {status, attempts, dueAt}}: {delivery: Pick<Delivery, "status" | "attempts" | "dueAt">}) {
  const tried = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  if (status === "delivered") return <State tone="good">delivered{attempts > 1 && <span className="dim"> · {tried}</span>}</State>;
  if (status === "undelivered") return <State tone="bad">undelivered{attempts > 0 && <span className="dim"> · {tried}</span>}</State>;
  return <State tone="warning" mark="○">waiting{attempts > 0 && <span className="dim"> · {tried}{dueAt && <>, next <time dateTime={dueAt}>{soon(dueAt, new Date())}</time></>}</span>}</State>;
}
