import {useInfiniteQuery, useQuery, useQueryClient, type UseQueryResult} from "@tanstack/react-query";
import {query, trading} from "../api/trading";
import type {Page} from "../api/types";

export const FAST_MILLISECONDS = 3_000;
export const SLOW_MILLISECONDS = 15_000;
const PAGE_ROWS = 100;

/** useReading reads, and reads again at intervals while the page is visible. */
export function useReading<T>(key: readonly unknown[], read: () => Promise<T>, milliseconds: number): UseQueryResult<T> {
  return useQuery({queryKey: key, queryFn: read, refetchInterval: milliseconds});
}

/** The filters of a list, by the names of their parameters. */
export type Filters = Readonly<Record<string, string | undefined>>;

/** useTradingList reads a list of the REST API page by page. Only a list of one page is read again: what somebody reads further down does not move. */
export function useTradingList<T>(path: string, filters: Filters) {
  return useInfiniteQuery({
    queryKey: ["v1", path, filters],
    queryFn: ({pageParam}) => trading<Page<T>>("GET", `${path}${query({limit: `${PAGE_ROWS}`, ...filters, cursor: pageParam})}`),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({nextCursor}) => nextCursor ?? undefined,
    refetchOnWindowFocus: ({state}) => state.data === undefined || state.data.pages.length === 1,
    refetchInterval: ({state}) => (state.data?.pages.length ?? 1) === 1 && FAST_MILLISECONDS,
  });
}

/** useReadAnew returns a function that reads what is shown of orders and positions again. */
export function useReadAnew(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({queryKey: ["v1"]});
}
