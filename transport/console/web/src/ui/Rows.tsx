import {defaultRangeExtractor, useWindowVirtualizer, type Range} from "@tanstack/react-virtual";
import {useLayoutEffect, useRef, useState} from "react";
import {Row, type RowsProps} from "./Row";
import styles from "./Table.module.css";

const ESTIMATED_PIXELS = 31;
const OVERSCAN_ROWS = 10;

/** Rows is the body of a long table: in the document are only the rows on the screen, those close to it, and the one that has the focus. */
export default function Rows<R>({rows, id, ...look}: RowsProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<number>();
  useLayoutEffect(() => {
    if (body.current) setTop(Math.round(body.current.getBoundingClientRect().top + scrollY));
  }, [rows]);
  const near = (range: Range) => {
    const all = defaultRangeExtractor(range);
    return focused === undefined || focused >= rows.length || all.includes(focused) ? all : [...all, focused].sort((a, b) => a - b);
  };
  const keyOf = (at: number) => {
    const row = rows[at];
    return row === undefined ? at : id(row);
  };
  const list = useWindowVirtualizer({
    count: rows.length, estimateSize: () => ESTIMATED_PIXELS, overscan: OVERSCAN_ROWS, scrollMargin: top, rangeExtractor: near, getItemKey: keyOf,
  });
  const items = list.getVirtualItems();
  const gapBefore = (at: number) => (items[at]?.start ?? 0) - (items[at - 1]?.end ?? top);
  return (
    <tbody ref={body} onBlur={() => setFocused(undefined)}>
      {items.map(({index, key}, at) => {
        const row = rows[index];
        return row !== undefined && [
          <Gap key={`before ${key}`} pixels={gapBefore(at)}/>,
          <Row key={key} row={row} at={index} measured={list.measureElement} focused={setFocused} {...look}/>,
        ];
      })}
      <Gap pixels={top + list.getTotalSize() - (items.at(-1)?.end ?? top)}/>
    </tbody>
  );
}

function Gap({pixels}: {pixels: number}) {
  return pixels > 0 && <tr aria-hidden className={styles.gap} style={{height: pixels}}/>;
}
