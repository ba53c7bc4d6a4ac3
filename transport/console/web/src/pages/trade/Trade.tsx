import {SegmentedControl} from "@mantine/core";
import {useMediaQuery} from "@mantine/hooks";
import {Suspense, lazy, useState, type ReactNode} from "react";
import {Redirect, useRoute} from "wouter";
import {trading} from "../../api/trading";
import type {Instrument, Items, Venue} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {mayTrade, useSession} from "../../app/session";
import {useBook, useOrders, usePositions, useTrust} from "../../live/use";
import {Failure, Waiting} from "../../ui/Panel";
import {announce} from "../../ui/announce";
import {useShortcuts} from "../../ui/shortcuts";
import {OrderBook} from "./Book";
import {Choice} from "./Choice";
import {Facts} from "./Facts";
import {OwnRecords} from "./Own";
import {Ticket} from "./Ticket";
import {Trades} from "./Tape";
import {useFills} from "./fills";
import {emptyDraft, hasPrice, hasTrigger, type Draft} from "./draft";
import {instrumentOf, useInstruments} from "./instruments";
import {quoteOf} from "./words";
import styles from "./Trade.module.css";

const Chart = lazy(() => import("./Chart"));

/** Trade shows the market of one instrument at one venue, and what the customer has there. */
export default function Trade() {
  const [, path] = useRoute<{exchange?: string; symbol?: string}>("/trade/:exchange?/:symbol?");
  const venues = useReading(["venues"], () => trading<Items<Venue>>("GET", "venues"), SLOW_MILLISECONDS);
  const venue = venues.data?.items.find((each) => each.exchange === path?.exchange);
  const instruments = useInstruments(venue?.exchange);
  const instrument = instrumentOf(instruments.data, path?.symbol);
  const failure = venues.data ? instruments.error : venues.error;
  if (failure) return <Failure error={failure} retry={() => void (venues.data ? instruments : venues).refetch()}/>;
  if (!venues.data) return <Waiting/>;
  if (!venue) return <FirstVenue venues={venues.data.items}/>;
  if (!instruments.data) return <Waiting/>;
  if (!path?.symbol) return <Redirect replace to={`/trade/${venue.exchange}/${instrumentOf(instruments.data, "BTCUSDT")?.symbol ?? instruments.data[0]?.symbol}`}/>;
  return (
    <>
      <header className={styles.top}>
        <h1 className={styles.hidden}>Trade {path.symbol} on {venue.exchange}</h1>
        <Choice key={`${venue.exchange} ${path.symbol}`} venues={venues.data.items} venue={venue} instruments={instruments.data} symbol={path.symbol}/>
        {instrument && <Facts instrument={instrument}/>}
      </header>
      {venue.status !== "up" && <p role="status" className={styles.notice}>{venue.exchange} is {venue.status}{venue.reason ? `: ${venue.reason}` : "."}</p>}
      {instrument ? <Market key={`${venue.exchange} ${instrument.symbol}`} instrument={instrument} isDown={venue.status === "down"}/> : <p>There is no instrument {path.symbol} on {venue.exchange}.</p>}
    </>
  );
}

function FirstVenue({venues}: {venues: readonly Venue[]}) {
  const first = venues.find((venue) => venue.connected) ?? venues[0];
  return first ? <Redirect replace to={`/trade/${first.exchange}`}/> : <p>No venue is set up.</p>;
}

/** The parts of the page of which a phone shows one at a time. */
type Part = "Chart" | "Book" | "Ticket" | "Orders";

function Market({instrument, isDown}: {instrument: Instrument; isDown: boolean}) {
  const isPhone = useMediaQuery("(max-width: 48em)");
  const [part, setPart] = useState<Part>("Chart");
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const orders = useOrders();
  const [depth, setDepth] = useState(10);
  const book = useBook(instrument.exchange, instrument.symbol, depth);
  const trust = useTrust(book);
  const trades = mayTrade(useSession());
  const positions = usePositions();
  const isOfInstrument = ({exchange, symbol}: {readonly exchange: string; readonly symbol: string}) => exchange === instrument.exchange && symbol === instrument.symbol;
  const own = {
    orders: orders?.list().filter(isOfInstrument) ?? [], positions: positions?.list().filter(isOfInstrument) ?? [],
    fills: useFills(instrument, orders?.all().filter(isOfInstrument) ?? []),
  };
  const change = (part: Partial<Draft>) => setDraft((old) => ({...old, ...part}));
  const chooseSide = (side: Draft["side"]) => {
    change({side});
    setPart("Ticket");
  };
  const take = (price: string) => {
    change(hasPrice(draft.type) ? {price} : hasTrigger(draft.type) ? {triggerPrice: price} : {type: "limit", price});
    setPart("Ticket");
  };
  useShortcuts({
    p: () => announce(quoteOf(book, instrument)),
    ...(trades && {b: () => chooseSide("buy"), s: () => chooseSide("sell")}),
  });
  const show = (name: Part, content: ReactNode) => (!isPhone || part === name) && content;
  return (
    <div className={styles.market}>
      {isPhone && <SegmentedControl fullWidth value={part} onChange={setPart} data={["Chart", "Book", "Ticket", "Orders"] satisfies Part[]}/>}
      {show("Chart", <div className={styles.chart}><Suspense fallback={<Waiting/>}><Chart instrument={instrument} own={own}/></Suspense></div>)}
      {show("Book", <div className={styles.side}>
        <OrderBook instrument={instrument} book={book} depth={depth} setDepth={setDepth} own={own.orders} take={take}/>
        <Trades instrument={instrument}/>
      </div>)}
      {trades && show("Ticket", <div className={styles.ticket}>
        <Ticket instrument={instrument} draft={draft} change={change} orders={orders} hasBook={trust?.state === "live"} isStale={trust?.state === "stale"} positions={own.positions} isDown={isDown}/>
      </div>)}
      {show("Orders", <div className={styles.own}>
        <OwnRecords instrument={instrument} own={own} orders={orders} positions={positions}/>
      </div>)}
    </div>
  );
}
