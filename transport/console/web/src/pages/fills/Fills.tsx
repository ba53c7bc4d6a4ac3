import {Button, Group} from "@mantine/core";
import {useInfiniteQuery} from "@tanstack/react-query";
import {Link} from "wouter";
import {query, trading} from "../../api/trading";
import type {Fill, Page} from "../../api/types";
import {pathOfOrder} from "../../app/paths";
import styles from "../../orders/Orders.module.css";
import {Side} from "../../orders/Side";
import {EXCHANGE, Filters, PERIOD, SYMBOL, useFilters, type Filter} from "../../ui/Filters";
import {Failure, Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {csvOf, save} from "../../ui/csv";
import {firstWindow, windowBefore, type Window} from "./windows";

const filters: readonly Filter[] = [EXCHANGE, SYMBOL, {name: "orderId", label: "Order", example: "ord_…"}, ...PERIOD];
const PAGE_ROWS = 100;

interface Step {
  readonly window: Window;
  readonly cursor?: string;
}

/** Fills lists executions, newest first, 31 days at a time. */
export default function Fills() {
  const {from, to, ...chosen} = useFilters(filters);
  const fills = useInfiniteQuery({
    queryKey: ["v1", "fills", chosen, from, to],
    queryFn: async ({pageParam: step}) => {
      const window = step?.window ?? firstWindow(new Date(), from, to);
      const page = await trading<Page<Fill>>("GET", `fills${query({limit: `${PAGE_ROWS}`, ...chosen, ...window, cursor: step?.cursor})}`);
      return {...page, window};
    },
    initialPageParam: undefined as Step | undefined,
    getNextPageParam: ({nextCursor, window}): Step | undefined => {
      if (nextCursor !== null) return {window, cursor: nextCursor};
      const before = windowBefore(window, from);
      return before && {window: before};
    },
    refetchOnWindowFocus: false, // it would move what is being read
  });
  const rows = fills.data?.pages.flatMap(({items}) => items) ?? [];
  const last = fills.data?.pages.at(-1);
  return (
    <>
      <h1>Fills</h1>
      <Filters filters={filters}/>
      <Panel title="Fills" query={fills.isFetchNextPageError ? {...fills, error: null} : fills} actions={<>
        {rows.length > 0 && <Button size="xs" variant="default" onClick={() => save("fills.csv", "text/csv", csvOf([names, ...rows.map((row) => names.map((name) => row[name]))]))}>CSV of these rows</Button>}
        <Button size="xs" variant="default" onClick={() => void fills.refetch()}>Refresh</Button>
      </>} empty={{when: () => rows.length === 0 && last?.nextCursor === null, text: last ? `No fill since ${last.window.from.slice(0, 10)}${Object.keys(chosen).length > 0 ? " matches these filters" : ""}.` : ""}}>
        {() => <Table dense caption="Fills" rows={rows} id={(fill) => fill.fillId} columns={columns}/>}
      </Panel>
      {fills.isFetchNextPageError && <Failure error={fills.error} retry={() => void fills.fetchNextPage()}/>}
      {fills.hasNextPage && <Group justify="center">
        <Button variant="default" loading={fills.isFetchingNextPage} onClick={() => void fills.fetchNextPage()}>{last?.nextCursor === null ? "31 days further back" : "Older fills"}</Button>
      </Group>}
    </>
  );
}

const names = ["fillId", "orderId", "exchange", "symbol", "side", "qty", "price", "fee", "feeCurrency", "liquidity", "realizedPnl", "source", "venueTradeId", "executedAt"] as const;

const columns: readonly Column<Fill>[] = [
  {title: "Time", cell: (fill) => <Time at={fill.executedAt}/>},
  {title: "Instrument", cell: (fill) => <><strong>{fill.symbol}</strong> <span className="dim">{fill.exchange}</span></>},
  {title: "Side", cell: (fill) => <Side side={fill.side}/>},
  amounts("Quantity", (fill) => fill.qty),
  amounts("Price", (fill) => fill.price),
  amounts("Fee", (fill) => fill.fee),
  {title: "In", cell: (fill) => fill.feeCurrency ?? "–"},
  amounts("Realized", (fill) => fill.realizedPnl, true),
  {title: "Liquidity", cell: (fill) => fill.liquidity ?? "–"},
  {title: "Order", cell: (fill) => fill.orderId ? <Link className={styles.link ?? ""} href={pathOfOrder(fill.orderId)}>{fill.source}</Link> : fill.source},
];
