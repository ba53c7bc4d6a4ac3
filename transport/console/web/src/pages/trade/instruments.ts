import {queryOptions, useQuery} from "@tanstack/react-query";
import {query, trading} from "../../api/trading";
import type {Exchange, Instrument, Page} from "../../api/types";

const FRESH_MILLISECONDS = 5 * 60_000;
const PAGES_MOST = 10; // of 1,000

/** useInstruments reads the instruments of a venue. */
export function useInstruments(exchange: Exchange | undefined) {
  return useQuery(instrumentsOf(exchange));
}

/** instrumentsOf is the query of the instruments of a venue. */
export function instrumentsOf(exchange: Exchange | undefined) {
  return queryOptions({
    queryKey: ["instruments", exchange], enabled: exchange !== undefined, staleTime: FRESH_MILLISECONDS,
    queryFn: async () => {
      const all: Instrument[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < PAGES_MOST; page++) {
        const {items, nextCursor}: Page<Instrument> = await trading("GET", `instruments${query({exchange, limit: "1000", cursor})}`);
        all.push(...items);
        cursor = nextCursor;
        if (cursor === null) break;
      }
      return all;
    },
  });
}

/** instrumentOf returns the instrument of a symbol, whatever its case. */
export function instrumentOf(instruments: readonly Instrument[] | undefined, symbol: string | undefined): Instrument | undefined {
  return instruments?.find((each) => each.symbol === symbol?.trim().toUpperCase());
}
