import type {Instrument} from "../../api/types";
import type {Book, Level} from "../../live/book";
import {mark, write} from "../../live/painter";
import {share} from "../../live/scale";
import {compare, difference, sum} from "../../money/decimal";
import {decimalsOf, padding, shown} from "../../money/format";

/** A row of the ladder: a level, and the quantity up to it. */
export interface Row {
  readonly price: string;
  readonly qty: string;
  readonly total: string;
}

/** rowsOf returns the best levels with their running sums. */
export function rowsOf(levels: readonly Level[], most: number): readonly Row[] {
  const rows: Row[] = [];
  for (const [price, qty] of levels.slice(0, most)) rows.push({price, qty, total: sum([rows.at(-1)?.total ?? "0", qty]) ?? qty});
  return rows;
}

/** paintBook writes a book into its table: the asks above, the best ones next to the spread. */
export function paintBook(table: HTMLTableElement, book: Book, instrument: Instrument, own: ReadonlySet<string | null>): void {
  const [asks, spread, bids] = table.tBodies;
  if (!asks || !spread || !bids) return;
  const [sells, buys] = [rowsOf(book.asks, asks.rows.length), rowsOf(book.bids, bids.rows.length)];
  const [deepSell, deepBuy] = [sells.at(-1)?.total ?? "0", buys.at(-1)?.total ?? "0"];
  const whole = compare(deepSell, deepBuy) < 0 ? deepBuy : deepSell;
  const most = asks.rows.length;
  for (let at = 0; at < most; at++) paintRow(asks.rows[most - 1 - at], sells[at], whole, instrument, own);
  for (let at = 0; at < bids.rows.length; at++) paintRow(bids.rows[at], buys[at], whole, instrument, own);
  const gap = difference(sells[0]?.price, buys[0]?.price);
  write(spread.rows[0]?.cells[0], `spread ${shown(gap)}`);
}

function paintRow(line: HTMLTableRowElement | undefined, row: Row | undefined, whole: string, instrument: Instrument, own: ReadonlySet<string | null>): void {
  if (!line) return;
  const decimals = decimalsOf(instrument.qtyStep);
  const [price, qty, total] = line.cells;
  mark(line, "price", row?.price);
  mark(line, "own", row && own.has(row.price) ? "" : undefined);
  number(price?.firstElementChild, row?.price, decimalsOf(instrument.tickSize));
  number(qty, row?.qty, decimals);
  number(total, row?.total, decimals);
  line.style.setProperty("--share", row ? share(row.total, whole).toFixed(3) : "0");
}

// number writes a decimal, and into data-pad the room that lines its point up with the others.
function number(element: Element | null | undefined, value: string | undefined, decimals: number): void {
  write(element, value === undefined ? "" : shown(value));
  if (element instanceof HTMLElement) mark(element, "pad", padding(value, decimals));
}
