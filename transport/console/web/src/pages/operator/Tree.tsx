import {useRef, useState, type KeyboardEvent} from "react";
import type {Actors} from "../../api/types";
import styles from "./Operator.module.css";
import {moved, rowsOf, type Move, type Order, type Row} from "./rows";
import {count, percent, span} from "./words";

// What is folded at first if there are more.
const OPEN_MOST = 60;
const ROWS = 200;

interface Props {
  readonly now: Actors;
  readonly before: Actors | undefined;
  readonly order: Order;
  readonly text: string;
}

const keys: Readonly<Record<string, Move>> = {ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Home: "first", End: "last"};

/** Tree shows actors below their parents. Arrows move, open and close branches. */
export function Tree({now, before, order, text}: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(now.items.length <= OPEN_MOST ? now.items.map(({parent}) => parent) : []));
  const [chosen, setChosen] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const rows = rowsOf(now, before, open, order, text).slice(0, ROWS);
  const all = rows.length;
  const focused = rows.some(({actor: {path}}) => path === chosen) ? chosen : rows[0]?.actor.path ?? "";
  const toggle = (path: string) => setOpen((was) => was.has(path) ? new Set([...was].filter((one) => one !== path)) : new Set([...was, path]));
  const focus = (path: string) => {
    setChosen(path);
    [...list.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? []].find((item) => item.dataset["path"] === path)?.focus();
  };
  const pressed = (event: KeyboardEvent, row: Row) => {
    const move = keys[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) {
      const result = moved(rows, row.actor.path, move);
      if (result.toggle !== undefined) toggle(result.toggle);
      focus(result.focus);
    } else if (event.key === "Enter" || event.key === " ") {
      toggle(row.actor.path);
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={styles.head} aria-hidden>
        <span>Actor</span><span>Waiting</span><span className={styles.narrow}>Messages/s</span><span className={styles.narrow}>Busy</span>
        <span className={`${styles.narrow} ${styles.wide}`}>Failures</span><span className={`${styles.narrow} ${styles.wide}`}>Restarts</span><span className={`${styles.narrow} ${styles.wide}`}>Age</span>
      </div>
      <div role="tree" aria-label="Actors" className={styles.tree} ref={list}>
        {rows.map((row) => <Item key={row.actor.path} row={row} now={now.at} focused={row.actor.path === focused} press={pressed} choose={() => {
          setChosen(row.actor.path);
          if (row.children > 0) toggle(row.actor.path);
        }}/>)}
      </div>
      {all === ROWS && <p className={styles.note}>Only the first {ROWS} rows: fold branches, or find an actor by its name.</p>}
      {rows.length === 0 && <p className={styles.note}>No actor has this in its path.</p>}
    </>
  );
}

interface ItemProps {
  readonly row: Row;
  readonly now: string;
  readonly focused: boolean;
  readonly press: (event: KeyboardEvent, row: Row) => void;
  readonly choose: () => void;
}

const levels = ["", styles.l2, styles.l3, styles.l4, styles.l5];

function Item({row, now, focused, press, choose}: ItemProps) {
  const {actor, change, name, level, children, open} = row;
  const age = actor.startedAt ? span(Date.parse(now) - Date.parse(actor.startedAt)) : "not started";
  return (
    <div role="treeitem" className={styles.row} data-path={actor.path} tabIndex={focused ? 0 : -1} aria-level={level} aria-setsize={row.siblings} aria-posinset={row.place}
      aria-expanded={children > 0 ? open : undefined} aria-description={spoken(row, age)} onKeyDown={(event) => press(event, row)} onClick={choose}>
      <span className={levels[Math.min(level, levels.length) - 1]}>
        <span className={styles.fold} aria-hidden>{children === 0 ? "" : open ? "▾" : "▸"}</span>
        <span className={styles.name}>{name}</span>
        {children > 0 && <span className="dim"> {count(children)}</span>}
        {actor.failures > 0 && <span className={`${styles.phone} ${styles.bad}`}> {count(actor.failures)} failed</span>}
        {!actor.running && <span className={styles.bad}> restarting</span>}
      </span>
      <span className={actor.waiting > actor.waitingMax / 2 ? styles.bad : actor.waiting > 0 ? styles.warning : "dim"}>{count(actor.waiting)} / {count(actor.waitingMax)}</span>
      <span className={styles.narrow}>{change ? change.messagesPerSecond.toFixed(1) : "–"}</span>
      <span className={styles.narrow}>{change ? percent(change.busy) : "–"}</span>
      <span className={`${styles.narrow} ${styles.wide} ${actor.failures > 0 ? styles.bad : "dim"}`}>{count(actor.failures)}<Plus more={change?.failures}/></span>
      <span className={`${styles.narrow} ${styles.wide} ${actor.restarts > 0 ? styles.warning : "dim"}`}>{count(actor.restarts)}<Plus more={change?.restarts}/></span>
      <span className={`${styles.narrow} ${styles.wide}`}>{age}</span>
    </div>
  );
}

function Plus({more}: {more: number | undefined}) {
  return more !== undefined && more > 0 && <> +{count(more)}</>;
}

// spoken returns what a screen reader says of a row, besides its text.
function spoken({actor, children}: Row, age: string): string {
  const parts = [`${actor.waiting} waiting`];
  if (children > 0) parts.push(`${children} below`);
  if (actor.failures > 0) parts.push(`${actor.failures} failures, ${actor.restarts} restarts`);
  parts.push(actor.running ? `for ${age}` : "restarting");
  return parts.join(", ");
}
