import {Button, Group} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {useState} from "react";
import {callForText} from "../../api/client";
import {query} from "../../api/trading";
import styles from "../../orders/Orders.module.css";
import {Direction} from "../../orders/Side";
import {plain} from "../../orders/words";
import {Amount} from "../../ui/Amount";
import {EXCHANGE, Filters, PERIOD, SYMBOL, useFilters, type Filter} from "../../ui/Filters";
import {Panel} from "../../ui/Panel";
import {Table, amounts, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {csvOf, save} from "../../ui/csv";
import {totalsOf, tradesOf, type Trade} from "./closed";

const filters: readonly Filter[] = [EXCHANGE, SYMBOL, ...PERIOD];
const STEP_ROWS = 50;
const DEFAULT_MILLISECONDS = 31 * 86_400_000;

/** Trades lists closed positions with their result, those of the last 31 days if no period is chosen. */
export default function Trades() {
  const chosen = useFilters(filters);
  const [shown, setShown] = useState(STEP_ROWS);
  const trades = useQuery({queryKey: ["trades", chosen], refetchOnWindowFocus: false, queryFn: async () => {
    const {from, to, ...others} = chosen;
    const end = startOf(to) ?? new Date();
    const start = startOf(from) ?? new Date(end.getTime() - DEFAULT_MILLISECONDS);
    const lines = await callForText(`trades/export${query({...others, from: start.toISOString(), to: to && end.toISOString()})}`);
    return {lines, items: tradesOf(lines)};
  }});
  const items = trades.data?.items ?? [];
  const exports = trades.data && items.length > 0 && <>
    <Button size="xs" variant="default" onClick={() => save("trades.csv", "text/csv", csvOf([names, ...items.map((one) => names.map((name) => one[name]))]))}>CSV</Button>
    <Button size="xs" variant="default" onClick={() => save("trades.jsonl", "application/jsonl", trades.data.lines)}>JSONL</Button>
  </>;
  return (
    <>
      <h1>Closed trades</h1>
      <Filters filters={filters}/>
      <Panel title="Closed trades" query={trades} actions={<>{exports}<Button size="xs" variant="default" onClick={() => void trades.refetch()}>Refresh</Button></>}
        empty={{when: (data) => data.items.length === 0, text: chosen.from ? "No position was closed in this period." : "No position was closed in these 31 days."}}>
        {() => <>
          <dl className={`${styles.facts} ${styles.totals}`}>{totalsOf(items).map(({currency, count, realized, fees}) => (
            <div key={currency}><dt>{count} {count === 1 ? "trade" : "trades"}, {currency}</dt>
              <dd><Amount value={realized} gain/> <span className="dim">fees <Amount value={fees}/></span></dd></div>))}</dl>
          <Table dense caption="Closed trades" rows={items.slice(0, shown)} id={(one) => `${one.exchange} ${one.symbol} ${one.side} ${one.openedAt} ${one.closedAt}`} columns={columns}/>
        </>}
      </Panel>
      {shown < items.length && <Group justify="center"><Button variant="default" onClick={() => setShown(shown + STEP_ROWS)}>Older trades ({items.length - shown})</Button></Group>}
    </>
  );
}

// A date is the start of its day in UTC.
function startOf(date: string | undefined): Date | undefined {
  const at = date === undefined ? undefined : new Date(date);
  return at && !isNaN(at.getTime()) ? at : undefined;
}

const names = ["exchange", "symbol", "side", "qty", "entryPrice", "exitPrice", "realizedPnl", "fee", "feeCurrency", "reason", "openedAt", "closedAt", "heldSeconds", "comment"] as const;

const columns: readonly Column<Trade>[] = [
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
