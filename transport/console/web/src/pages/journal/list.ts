import {useInfiniteQuery, useQuery, useQueryClient, type InfiniteData} from "@tanstack/react-query";
import {call} from "../../api/client";
import type {JournalRow, Page} from "../../api/types";
import {FAST_MILLISECONDS, type Filters} from "../../app/reading";
import {pollWhileVisible} from "../../app/session";
import type {Filter} from "../../ui/Filters";
import {PAGE_ROWS, newerThan, pathOf} from "./rows";

export const filters: readonly Filter[] = [
  {name: "kind", label: "Kind", example: "order.status"},
  {name: "subject", label: "Id", example: "ord_…"},
  {name: "channel", label: "Channel", example: "hook_…"},
  {name: "symbol", label: "Instrument", example: "BTCUSDT"},
  {name: "result", label: "Result", example: "rejected"},
  {name: "text", label: "Text", example: "margin"},
  {name: "from", label: "From", type: "time"},
  {name: "to", label: "Before", type: "time"},
];

/** useRows reads the rows that match filters, newest first, page by page. What is shown does not move: useNewer has what comes after it. */
export function useRows(chosen: Filters) {
  return useInfiniteQuery({
    queryKey: ["journal", chosen],
    queryFn: ({pageParam}) => call<Page<JournalRow>>("GET", pathOf("journal", chosen, {limit: `${PAGE_ROWS}`, ...pageParam})),
    refetchOnWindowFocus: false, refetchOnMount: false, refetchOnReconnect: false,
    initialPageParam: {} as {cursor?: string},
    getNextPageParam: ({nextCursor}) => nextCursor === null ? undefined : {cursor: nextCursor},
  });
}

/** What has come after the rows that are shown. */
export interface Newer {
  /** How many rows, such as "12" or "100+"; empty if there are none. */
  readonly count: string;
  /** Shows the newest rows. */
  readonly show: () => void;
}

/** useNewer looks for rows after those that are shown, once these are known. */
export function useNewer(chosen: Filters, shown: readonly JournalRow[] | undefined): Newer {
  const queries = useQueryClient();
  const last = shown?.[0];
  const from = last?.at ?? chosen["from"];
  const newer = useQuery({
    queryKey: ["journal newer", chosen, last?.id], enabled: shown !== undefined, refetchInterval: () => pollWhileVisible() && FAST_MILLISECONDS,
    queryFn: () => call<Page<JournalRow>>("GET", pathOf("journal", {...chosen, from}, {limit: `${PAGE_ROWS}`})),
  }).data;
  const count = newerThan(newer?.items ?? [], shown ?? []);
  return {
    count: count === 0 ? "" : `${count}${newer?.nextCursor ? "+" : ""}`,
    show: () => {
      queries.setQueryData<InfiniteData<Page<JournalRow>>>(["journal", chosen], (before) => before && {pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1)});
      void queries.refetchQueries({queryKey: ["journal", chosen]});
    },
  };
}
