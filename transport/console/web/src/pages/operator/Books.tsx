import {call} from "../../api/client";
import type {BookState, Items} from "../../api/types";
import {FAST_MILLISECONDS, useReading} from "../../app/reading";
import {EXCHANGE, Filters, SYMBOL, useFilters} from "../../ui/Filters";
import {Panel} from "../../ui/Panel";
import {State, type Tone} from "../../ui/State";
import {Table, type Column} from "../../ui/Table";
import styles from "./Operator.module.css";
import {count, span} from "./words";

const ROWS = 100;
const filters = [EXCHANGE, SYMBOL];

/** Books shows the state of the order books, those in trouble first. */
export default function Books() {
  const books = useReading(["books"], () => call<Items<BookState>>("GET", "books"), FAST_MILLISECONDS);
  const {exchange, symbol} = useFilters(filters);
  const chosen = (all: readonly BookState[]) => all.filter((book) =>
    (!exchange || book.exchange === exchange) && (!symbol || book.symbol.includes(symbol.toUpperCase()))).toSorted(worstFirst);
  return (
    <>
      <h1>Books</h1>
      <Filters filters={filters}/>
      <Panel title="Order books" query={books} empty={{
        when: ({items}) => chosen(items).length === 0,
        text: "No book. A book is built when a client subscribes to its instrument or an order needs its price, and ends when nothing uses it.",
      }}>
        {({items}) => {
          const rows = chosen(items);
          return (
            <>
              <Table caption="Order books" rows={rows.slice(0, ROWS)} id={(book) => `${book.exchange} ${book.symbol}`} columns={columns} dense/>
              {rows.length > ROWS && <p className={styles.note}>{count(rows.length - ROWS)} more: choose a venue or an instrument.</p>}
            </>
          );
        }}
      </Panel>
    </>
  );
}

const phases = ["stale", "syncing", "waiting", "live"];

function worstFirst(a: BookState, b: BookState): number {
  return phases.indexOf(a.phase) - phases.indexOf(b.phase) || b.gaps + b.overruns + b.mismatches - (a.gaps + a.overruns + a.mismatches) ||
    (`${a.exchange} ${a.symbol}` < `${b.exchange} ${b.symbol}` ? -1 : 1);
}

const looks: Readonly<Record<string, {readonly mark: string; readonly tone: Tone}>> = {
  live: {mark: "●", tone: "good"}, syncing: {mark: "◐", tone: "warning"}, stale: {mark: "○", tone: "bad"}, waiting: {mark: "○", tone: "plain"},
};

function figure(title: string, of: (book: BookState) => number, bad = false): Column<BookState> {
  return {title, number: true, cell: (book) => <span className={bad && of(book) > 0 ? styles.warning : undefined}>{count(of(book))}</span>};
}

const columns: readonly Column<BookState>[] = [
  {title: "Venue", cell: ({exchange}) => exchange},
  {title: "Instrument", cell: ({symbol}) => <span className="mono outside">{symbol}</span>},
  {title: "Phase", cell: ({phase}) => <State {...looks[phase] ?? {mark: "?", tone: "bad"}}>{phase}</State>},
  {title: "for", number: true, cell: ({phaseMs}) => span(phaseMs)},
  {title: "Silent", number: true, cell: ({silentMs, updates}) => updates === 0 ? "–" : span(silentMs)},
  figure("Readers", ({subscribers}) => subscribers),
  figure("Updates", ({updates}) => updates),
  figure("Gaps", ({gaps}) => gaps, true),
  figure("Resyncs", ({resyncs}) => resyncs),
  figure("Overruns", ({overruns}) => overruns, true),
  figure("Crossed", ({crossings}) => crossings, true),
  figure("Mismatches", ({mismatches}) => mismatches, true),
];
