import {Button, SegmentedControl, useComputedColorScheme} from "@mantine/core";
import {useInfiniteQuery} from "@tanstack/react-query";
import {CandlestickSeries, LineStyle, createChart, createSeriesMarkers, type IChartApi, type IPriceLine, type ISeriesApi, type ISeriesMarkersPluginApi, type Time} from "lightweight-charts";
import {useEffect, useRef, useState} from "react";
import {query, trading} from "../../api/trading";
import type {Candle, Fill, Instrument, Page, Timeframe} from "../../api/types";
import {usePainter} from "../../live/painter";
import {coordinate} from "../../live/scale";
import {useCandles, useTrust} from "../../live/use";
import {decimalsOf} from "../../money/format";
import {Failure} from "../../ui/Panel";
import {local} from "../../ui/Time";
import {useShortcuts} from "../../ui/shortcuts";
import {CandleTable} from "./CandleTable";
import type {Own} from "./Own";
import {TrustMark} from "./TrustMark";
import {barOf, barsOf, merged} from "./bars";
import {linesOf, markersOf} from "./lines";
import market from "./Market.module.css";
import styles from "./Chart.module.css";

const SECONDS = {"1m": 60, "5m": 300, "15m": 900, "1h": 3_600, "4h": 14_400, "1d": 86_400} satisfies Partial<Record<Timeframe, number>>;
type Shown = keyof typeof SECONDS;
const TIMEFRAMES = Object.keys(SECONDS) as Shown[];
const PAGE = 500;
const MOST = 5_000;
/** So many candles before the left edge the older ones are read. */
const READ_AHEAD = 30;

interface Props {
  readonly instrument: Instrument;
  /** What the customer has of the instrument: orders and positions are lines, fills are marks. */
  readonly own: Own;
}

/** Chart shows the candles of an instrument, and the same as a table. */
export default function Chart({instrument, own}: Props) {
  const [timeframe, setTimeframe] = useState<Shown>("1m");
  const [isTable, setIsTable] = useState(false);
  useShortcuts({t: () => setIsTable(!isTable)});
  return (
    <section className={market.panel} aria-label="Chart">
      <header className={market.head}>
        <h2 className={styles.hidden}>Chart</h2>
        <SegmentedControl size="xs" aria-label="Length of a candle" value={timeframe} onChange={setTimeframe} data={TIMEFRAMES}/>
        <Button size="compact-sm" variant="subtle" aria-keyshortcuts="t" onClick={() => setIsTable(!isTable)}>{isTable ? "As chart" : "As table"}</Button>
      </header>
      <Candles key={timeframe} instrument={instrument} own={own} timeframe={timeframe} isTable={isTable}/>
      <p className={styles.maker}>Charts: <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">TradingView Lightweight Charts™</a>, © 2025 TradingView, Inc.</p>
    </section>
  );
}

function Candles({instrument, own, timeframe, isTable}: Props & {readonly timeframe: Shown; readonly isTable: boolean}) {
  const {exchange, symbol} = instrument;
  const held = useCandles(exchange, symbol, timeframe);
  const history = useInfiniteQuery({
    queryKey: ["candles", exchange, symbol, timeframe], initialPageParam: "", staleTime: Infinity,
    queryFn: ({pageParam}) => trading<Page<Candle>>("GET", `candles${query({exchange, symbol, timeframe, limit: String(PAGE), to: pageParam})}`),
    getNextPageParam: ({items}, pages) => pages.length * PAGE < MOST ? items[0]?.start : undefined,
  });
  useReadAfterBreak(useTrust(held)?.state, () => void history.refetch());
  const candles = history.data?.pages.toReversed().flatMap(({items}) => items);
  const older = () => {
    if (history.hasNextPage && !history.isFetching && !history.error) void history.fetchNextPage();
  };
  return (
    <>
      <p className={styles.trust}><TrustMark held={held} what="Chart"/></p>
      {history.error && <Failure error={history.error} retry={() => void history.refetch()} stale={candles !== undefined}/>}
      {isTable ? <CandleTable instrument={instrument} held={held} history={candles ?? []}/> : <Canvas instrument={instrument} own={own} candleSeconds={SECONDS[timeframe]} held={held} history={candles} older={older}/>}
    </>
  );
}

// useReadAfterBreak reads the candles again that were missed while the stream was not connected.
function useReadAfterBreak(state: string | undefined, read: () => void): void {
  const wasStale = useRef(false);
  useEffect(() => {
    if (state === "live" && wasStale.current) read();
    if (state) wasStale.current = state === "stale";
  });
}

interface CanvasProps extends Props {
  readonly candleSeconds: number;
  readonly held: ReturnType<typeof useCandles>;
  readonly history: readonly Candle[] | undefined;
  readonly older: () => void;
}

function Canvas({instrument, own, candleSeconds, held, history, older}: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const [series, setSeries] = useState<ISeriesApi<"Candlestick">>();
  const scheme = useComputedColorScheme("light");
  const read = useRef(older);
  useEffect(() => {
    read.current = older;
  });
  useEffect(() => {
    if (!box.current) return;
    const chart = createChart(box.current, {...looks(box.current), autoSize: true});
    const made = chart.addSeries(CandlestickSeries, seriesLooks(box.current, instrument.tickSize));
    chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < READ_AHEAD) read.current();
    });
    setSeries(made);
    return () => endOf(chart, setSeries);
  }, [instrument.tickSize, scheme]);
  const shown = useRef(0);
  useEffect(() => {
    shown.current = 0; // of another series or history
    if (series && history) shown.current = draw(series, history, held?.all);
  }, [series, history, held]);
  usePainter(held, ({all}) => {
    const newest = [...all.values()].at(-1);
    if (!series || !history || !newest) return;
    if (all.size === shown.current) series.update(barOf(newest));
    else shown.current = draw(series, history, all);
  });
  useLines(series, own, box);
  useMarkers(series, own.fills.data?.items, candleSeconds, history?.[0]?.start, box);
  return <div ref={box} className={styles.canvas} role="img" aria-label={`Candles of ${instrument.symbol}; the same are in the table`}/>;
}

function endOf(chart: IChartApi, setSeries: (series: undefined) => void): void {
  setSeries(undefined);
  chart.remove();
}

// draw shows all candles and returns how many of them are of the stream.
function draw(series: ISeriesApi<"Candlestick">, history: readonly Candle[], streamed: ReadonlyMap<string, Candle> = new Map()): number {
  series.setData([...barsOf(merged(history, streamed))]);
  return streamed.size;
}

// useLines draws the prices of orders and positions. The lines of a removed chart went with it: a
// call to its series would draw it once more, which throws.
function useLines(series: ISeriesApi<"Candlestick"> | undefined, own: Own, box: React.RefObject<HTMLElement | null>): void {
  const text = JSON.stringify(linesOf(own.orders, own.positions));
  const drawn = useRef<{readonly series: typeof series; readonly lines: readonly IPriceLine[]}>(undefined);
  useEffect(() => {
    if (!series || !box.current) return;
    if (drawn.current?.series === series) for (const line of drawn.current.lines) series.removePriceLine(line);
    const colour = colours(box.current);
    drawn.current = {series, lines: (JSON.parse(text) as ReturnType<typeof linesOf>).map(({price, title, look}) => series.createPriceLine({
      price: coordinate(price), title, color: colour(look), lineWidth: 1, lineStyle: LineStyle.Dashed, axisLabelVisible: true,
    }))};
  }, [series, text, box]);
}

// useMarkers marks the fills since the first candle. The marks of a removed chart went with it, too.
function useMarkers(series: ISeriesApi<"Candlestick"> | undefined, fills: readonly Fill[] | undefined, candleSeconds: number, since: string | undefined, box: React.RefObject<HTMLElement | null>): void {
  const drawn = useRef<{readonly series: typeof series; readonly marks: ISeriesMarkersPluginApi<Time>}>(undefined);
  useEffect(() => {
    if (!series || !box.current || since === undefined) return;
    if (drawn.current?.series !== series) drawn.current = {series, marks: createSeriesMarkers(series)};
    const shown = (fills ?? []).filter(({executedAt}) => executedAt !== null && Date.parse(executedAt) >= Date.parse(since));
    drawn.current.marks.setMarkers(markersOf(shown, candleSeconds, colours(box.current)));
  }, [series, fills, candleSeconds, since, box]);
}

function colours(element: Element): (token: string) => string {
  const style = getComputedStyle(element);
  return (token) => style.getPropertyValue(`--${token}`).trim();
}

// looks are the colours of the page. The maker's mark would need a style element without nonce: its link stands below.
function looks(element: Element) {
  const colour = colours(element);
  const at = (time: unknown) => typeof time === "number" ? local(new Date(time * 1000)) : "";
  return {
    layout: {attributionLogo: false, background: {color: colour("surface")}, textColor: colour("dim"), fontSize: 11},
    grid: {vertLines: {color: colour("line")}, horzLines: {color: colour("line")}},
    rightPriceScale: {borderColor: colour("line")},
    timeScale: {borderColor: colour("line"), timeVisible: true, secondsVisible: false, rightOffset: 4, tickMarkFormatter: (time: unknown, kind: number) => kind < 3 ? at(time).slice(0, 10) : at(time).slice(11, 16)},
    localization: {timeFormatter: (time: unknown) => at(time).slice(0, 16)},
  };
}

function seriesLooks(element: Element, tickSize: string) {
  const colour = colours(element);
  const [up, down] = [colour("up"), colour("down")];
  return {
    upColor: up, wickUpColor: up, borderUpColor: up, downColor: down, wickDownColor: down, borderDownColor: down,
    priceFormat: {type: "price" as const, precision: decimalsOf(tickSize), minMove: coordinate(tickSize)},
  };
}
