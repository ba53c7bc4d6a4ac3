import {Button, Group} from "@mantine/core";
import {useInfiniteQuery} from "@tanstack/react-query";
import {call, callForText} from "../../api/client";
import {query} from "../../api/trading";
import type {ClosedTrade, Page, TradeTotal} from "../../api/types";
import styles from "../../orders/Orders.module.css";
import {Direction} from "../../orders/Side";
import {plain} from "../../orders/words";
import {Amount} from "../../ui/Amount";
import {EXCHANGE, Filters, PERIOD, SYMBOL, useFilters, type Filter} from "../../ui/Filters";
import {Failure, Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {save} from "../../ui/csv";
import {useSubmit} from "../../ui/form";
import {csvOfLines, periodOf} from "./closed";

const filters: readonly Filter[] = [EXCHANGE, SYMBOL, ...PERIOD];
const PAGE_ROWS = 100;

interface Trades extends Page<ClosedTrade> {
  /** Those of all trades that the filters select. */
  readonly totals: readonly TradeTotal[];
}

/** Trades lists closed positions with their result, those of the last 31 days if no period is chosen. */
export default function Trades() {
  const chosen = useFilters(filters);
  const selected = {...chosen, ...periodOf(chosen, new Date())};
  const trades = useInfiniteQuery({
    queryKey: ["trades", selected], refetchOnWindowFocus: false,
    queryFn: ({pageParam}) => call<Trades>("GET", `trades${query({...selected, limit: `${PAGE_ROWS}`, cursor: pageParam})}`),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({nextCursor}) => nextCursor ?? undefined,
  });
  const items = trades.data?.pages.flatMap((page) => page.items) ?? [];
  const path = `trades/export${query(selected)}`;
  const csv = useSubmit(async () => save("trades.csv", "text/csv", csvOfLines(await callForText(path))));
  return (
    <>
      <h1>Closed trades</h1>
      <Filters filters={filters}/>
      {csv.failure && <Failure error={csv.failure}/>}
      <Panel title="Closed trades" query={trades.isFetchNextPageError ? {...trades, error: null} : trades} actions={<>
        {items.length > 0 && <><Button size="xs" variant="default" loading={csv.busy} onClick={csv.run}>CSV</Button>
          <Button component="a" size="xs" variant="default" href={`/console/api/${path}`} download="trades.jsonl">JSONL</Button></>}
        <Button size="xs" variant="default" onClick={() => void trades.refetch()}>Refresh</Button></>}
        empty={{when: () => items.length === 0, text: chosen["from"] ? "No position was closed in this period." : "No position was closed in these 31 days."}}>
        {({pages}) => <>
          <Totals of={pages[0]?.totals ?? []}/>
          <Table dense caption="Closed trades" rows={items} id={(one) => `${one.exchange} ${one.symbol} ${one.side} ${one.closedAt}`} columns={columns}/>
        </>}
      </Panel>
      {trades.isFetchNextPageError && <Failure error={trades.error} retry={() => void trades.fetchNextPage()}/>}
      {trades.hasNextPage && <Group justify="center">
        <Button variant="default" loading={trades.isFetchingNextPage} onClick={() => void trades.fetchNextPage()}>Older trades</Button>
      </Group>}
    </>
  );
}

// Totals are what all selected trades came to. A currency in which nothing settled has fees alone.
function Totals({of}: {of: readonly TradeTotal[]}) {
  return (
    <dl className={`${styles.facts} ${styles.totals}`}>{of.map(({currency, trades, realizedPnl, fees}) => (
      <div key={currency ?? ""}><dt>{trades > 0 && `${trades} ${trades === 1 ? "trade" : "trades"}, `}{currency ?? "currency not known"}</dt>
        <dd>{trades > 0 && <Amount value={realizedPnl} gain/>} <span className="dim">fees <Amount value={fees}/></span></dd></div>))}</dl>
  );
}

const columns: readonly Column<ClosedTrade>[] = [
  {title: "Closed", cell: (one) => <Time at={one.closedAt}/>},
  {title: "Instrument", cell: (one) => <><strong>{one.symbol}</strong> <span className="dim">{one.exchange}</span></>},
  {title: "Side", cell: (one) => <Direction side={one.side}/>},
  amounts("Quantity", (one) => one.qty),
  amounts("Entry", (one) => one.entryPrice),
  amounts("Exit", (one) => one.exitPrice),
  amounts("Realized", (one) => one.realizedPnl, true),
  amounts("Fee", (one) => one.fee),
  {title: "In", cell: (one) => one.feeCurrency ?? "–"},
  {title: "Closed by", cell: (one) => one.reason ? plain(one.reason) : "–"},
  {title: "Opened", cell: (one) => <Time at={one.openedAt}/>},
];
