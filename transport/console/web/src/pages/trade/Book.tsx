import {NativeSelect} from "@mantine/core";
import {useRef, type KeyboardEvent, type MouseEvent} from "react";
import type {Instrument, Order} from "../../api/types";
import type {Book} from "../../live/book";
import {usePainter} from "../../live/painter";
import {paintBook} from "./book-rows";
import {TrustMark} from "./TrustMark";
import styles from "./Market.module.css";

const DEPTHS = [10, 20, 50];

interface Props {
  readonly instrument: Instrument;
  readonly book: Book | undefined;
  /** How many levels of each side are shown. */
  readonly depth: number;
  readonly setDepth: (depth: number) => void;
  /** The customer's open orders of the instrument, which have a dot. */
  readonly own: readonly Order[];
  /** Takes a price over into the ticket. */
  readonly take: (price: string) => void;
}

/** OrderBook shows the best levels of an order book, painted outside of React. */
export function OrderBook({instrument, book, depth, setDepth, own, take}: Props) {
  const table = useRef<HTMLTableElement>(null);
  const prices = new Set(own.filter(({status}) => status !== "untriggered").map((order) => order.price));
  usePainter(book, (held) => {
    if (table.current) paintBook(table.current, held, instrument, prices);
  });
  return (
    <section className={styles.panel} aria-label="Order book">
      <header className={styles.head}>
        <h2>Book</h2><TrustMark held={book} what="Book"/>
        <NativeSelect size="xs" aria-label="Levels" data={DEPTHS.map(String)} value={String(depth)} onChange={(e) => setDepth(DEPTHS.find((each) => String(each) === e.currentTarget.value) ?? depth)}/>
      </header>
      <div className={styles.scroll}>
        <table className={styles.book} ref={table} onClick={(e) => takeAt(e, take)} onKeyDown={moveBetweenRows}>
          <thead><tr><th scope="col">Price</th><th scope="col">Quantity</th><th scope="col">Sum</th></tr></thead>
          <tbody className={styles.asks}>{levels(depth)}</tbody>
          <tbody><tr className={styles.spread}><td colSpan={3}/></tr></tbody>
          <tbody className={styles.bids}>{levels(depth)}</tbody>
        </table>
      </div>
    </section>
  );
}

function levels(count: number) {
  return Array.from({length: count}, (_, at) => (
    <tr key={at}><th scope="row"><button type="button" tabIndex={at === 0 ? 0 : -1}/></th><td/><td/></tr>
  ));
}

function takeAt(event: MouseEvent, take: (price: string) => void): void {
  const price = event.target instanceof Element && event.target.closest("tr")?.dataset.price;
  if (price) take(price);
}

// The arrow keys move between the prices; Enter is a click on one.
function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("tr[data-price] button")];
  buttons[buttons.findIndex((button) => button === document.activeElement) + step]?.focus();
}
