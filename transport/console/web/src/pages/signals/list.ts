import {useInfiniteQuery, useQuery} from "@tanstack/react-query";
import {call} from "../../api/client";
import type {Hook, Items, Page, Signal} from "../../api/types";
import {codes, reasons, statusText} from "../../app/text/signals";
import {pollWhileVisible} from "../../app/session";
import {choices, useFilters, type Filter} from "../../ui/Filters";

const PAGE_ROWS = 100;
const POLL_MILLISECONDS = 2_000;

/** useChannels reads the channels, for their names. */
export function useChannels() {
  return useQuery({queryKey: ["hooks"], queryFn: () => call<Items<Hook>>("GET", "hooks"), refetchInterval: pollWhileVisible});
}

const why: NonNullable<Filter["choices"]> = [{value: "", label: "any"}, ...Object.keys({...reasons, ...codes}).sort().map((value) => ({value, label: value}))];

/** filtersOf returns the filters of the list. */
export function filtersOf(hooks: readonly Hook[]): readonly Filter[] {
  return [
    {name: "channel", label: "Channel", choices: [{value: "", label: "all"}, ...hooks.map(({id, name}) => ({value: id, label: name}))]},
    {name: "status", label: "Result", choices: choices("all", Object.keys(statusText)).map(({value, label}) => ({value, label: statusText[value] ?? label}))},
    {name: "reason", label: "Rule or code", choices: why},
    {name: "symbol", label: "Instrument", example: "BTCUSDT"},
    {name: "text", label: "Text", example: "id, requestId, comment"},
    {name: "from", label: "From (UTC)", type: "date"}, {name: "to", label: "Before (UTC)", type: "date"},
  ];
}

/** useSignals reads the signals that match the filters in the URL, page by page. Only a list of one page is read again: what somebody reads further down does not move. */
export function useSignals() {
  const {from, to, ...chosen} = useFilters(filtersOf([]));
  const wanted = {...chosen, ...(from && {from: startOf(from)}), ...(to && {to: startOf(to)})};
  return useInfiniteQuery({
    queryKey: ["signals", wanted],
    queryFn: ({pageParam}) => call<Page<Signal>>("GET", `signals?${new URLSearchParams({limit: `${PAGE_ROWS}`, ...wanted, ...(pageParam && {cursor: pageParam})})}`),
    initialPageParam: "",
    getNextPageParam: ({nextCursor}) => nextCursor ?? undefined,
    refetchOnWindowFocus: false,
    refetchInterval: ({state}) => pollWhileVisible() !== false && (state.data?.pages.length ?? 1) === 1 && POLL_MILLISECONDS,
  });
}

// A day that is typed begins at midnight UTC; a link may have an exact time.
function startOf(day: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00Z` : day;
}
