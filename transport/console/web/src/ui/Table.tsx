import {Suspense, lazy, type ReactNode} from "react";
import type {Decimal} from "../money/decimal";
import {decimalsOf} from "../money/format";
import {Amount} from "./Amount";
import {Row, type RowsProps} from "./Row";
import styles from "./Table.module.css";

/** A column of a table; on a small screen a line of a card. */
export interface Column<Row> {
  readonly title: string;
  /** The second argument is the most digits after the point in the column. */
  readonly cell: (row: Row, decimals: number) => ReactNode;
  /** The value of a column of amounts. */
  readonly amount?: (row: Row) => Decimal | null;
  /** Amounts are aligned on the right. */
  readonly number?: boolean;
  /** Buttons; the title is only read aloud. */
  readonly acts?: boolean;
}

/** amounts is a column of decimals, whose points line up. */
export function amounts<Row>(title: string, amount: (row: Row) => Decimal | null, gain = false): Column<Row> {
  return {title, number: true, amount, cell: (row, decimals) => <Amount value={amount(row)} gain={gain} decimals={decimals}/>};
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly id: (row: Row) => string;
  /** Rows of the past, such as revoked keys. */
  readonly faded?: (row: Row) => boolean;
  /** Lower rows of one line each, for what traders compare. */
  readonly dense?: boolean;
}

// Longer tables have only a part of their rows in the document.
const ROWS_MAX = 60;
const Rows = lazy(() => import("./Rows")) as unknown as typeof AllRows;

/** Table shows rows in columns, and as cards of label and value on small screens. */
export function Table<Row>({caption, columns, rows, id, faded, dense}: Props<Row>) {
  const decimals = columns.map(({amount}) => amount ? Math.max(0, ...rows.map((row) => decimalsOf(amount(row) ?? ""))) : 0);
  const look = {columns, decimals, faded, id};
  const isLong = rows.length > ROWS_MAX;
  return (
    <div className={styles.scroll}>
      <table className={`${styles.table} ${dense ? styles.dense : ""}`} aria-rowcount={isLong ? rows.length + 1 : undefined}>
        <caption className={styles.hidden}>{caption}</caption>
        <thead>
          <tr>{columns.map((c) => (
            <th key={c.title} scope="col" className={c.number ? styles.number : undefined}>
              <span className={c.acts ? styles.hidden : undefined}>{c.title}</span>
            </th>
          ))}</tr>
        </thead>
        {isLong ? <Suspense fallback={<AllRows {...look} rows={rows.slice(0, ROWS_MAX)}/>}><Rows {...look} rows={rows}/></Suspense> : <AllRows {...look} rows={rows}/>}
      </table>
    </div>
  );
}

function AllRows<R>({rows, id, ...look}: RowsProps<R>) {
  return <tbody>{rows.map((row) => <Row key={id(row)} row={row} {...look}/>)}</tbody>;
}
