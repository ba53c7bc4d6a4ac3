import type {Column} from "./Table";
import styles from "./Table.module.css";

/** What the rows of a table have in common. */
export interface RowLook<R> {
  readonly columns: readonly Column<R>[];
  /** The most digits after the point, by column. */
  readonly decimals: readonly number[];
  readonly faded: ((row: R) => boolean) | undefined;
}

export interface RowsProps<R> extends RowLook<R> {
  readonly rows: readonly R[];
  readonly id: (row: R) => string;
}

interface Props<R> extends RowLook<R> {
  readonly row: R;
  /** The index in a table of which only a part is in the document. */
  readonly at?: number;
  readonly measured?: (element: Element | null) => void;
  readonly focused?: (at: number) => void;
}

/** Row shows a row in columns. */
export function Row<R>({row, columns, decimals, faded, at, measured, focused}: Props<R>) {
  return (
    <tr ref={measured} data-index={at} aria-rowindex={at === undefined ? undefined : at + 2} onFocus={() => at !== undefined && focused?.(at)}
      className={faded?.(row) ? styles.faded : undefined}>{columns.map((c, n) => (
      <td key={c.title} data-label={c.acts ? "" : c.title} className={c.acts ? styles.acts : c.number ? styles.number : undefined}>
        <div>{c.cell(row, decimals[n] ?? 0)}</div>
      </td>
    ))}</tr>
  );
}
