import type {ReactNode} from "react";
import styles from "./Table.module.css";

/** A column of a table; on a small screen a line of a card. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Amounts are aligned on the right. */
  readonly number?: boolean;
  /** Buttons; the title is only read aloud. */
  readonly acts?: boolean;
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly id: (row: Row) => string;
  /** Rows of the past, such as revoked keys. */
  readonly faded?: (row: Row) => boolean;
}

/** Table shows rows in columns, and as cards of label and value on small screens. */
export function Table<Row>({caption, columns, rows, id, faded}: Props<Row>) {
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <caption className={styles.hidden}>{caption}</caption>
        <thead>
          <tr>{columns.map((c) => (
            <th key={c.title} scope="col" className={c.number ? styles.number : undefined}>
              <span className={c.acts ? styles.hidden : undefined}>{c.title}</span>
            </th>
          ))}</tr>
        </thead>
        <tbody>{rows.map((row) => (
          <tr key={id(row)} className={faded?.(row) ? styles.faded : undefined}>{columns.map((c) => (
            <td key={c.title} data-label={c.acts ? "" : c.title} className={c.acts ? styles.acts : c.number ? styles.number : undefined}>
              <div>{c.cell(row)}</div>
            </td>
          ))}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}
