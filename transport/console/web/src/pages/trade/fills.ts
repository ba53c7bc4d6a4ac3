import {keepPreviousData, useQuery} from "@tanstack/react-query";
import {query, trading} from "../../api/trading";
import type {Fill, Instrument, Order, Page} from "../../api/types";
import {SLOW_MILLISECONDS} from "../../app/reading";

const MOST = "200";
const KEPT_MILLISECONDS = 10_000;

/** useFills reads the customer's last fills of an instrument, again as soon as an order reports another one. */
export function useFills({exchange, symbol}: Instrument, orders: readonly Order[]) {
  const filled = orders.filter(({filledQty}) => filledQty !== "0").reduce((newest, {updatedAt}) => updatedAt !== null && updatedAt > newest ? updatedAt : newest, "");
  return useQuery({
    queryKey: ["v1", "fills of instrument", exchange, symbol, filled], refetchInterval: SLOW_MILLISECONDS, placeholderData: keepPreviousData, gcTime: KEPT_MILLISECONDS,
    queryFn: () => trading<Page<Fill>>("GET", `fills${query({exchange, symbol, limit: MOST})}`),
  });
}
