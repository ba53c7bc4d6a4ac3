import {pagesOf, type Page} from "../app/navigation";
import {mayTrade, useSession} from "../app/session";
import styles from "./Keys.module.css";

type Group = readonly [where: string, keys: readonly (readonly [key: string, act: string])[]];

const trading: readonly Group[] = [
  ["Orders", [["x", "cancel, after a question"], ["e", "change"], ["c", "copy the id"]]],
  ["Positions", [["x", "close, after a question"]]],
  ["Trade", [["b", "buy"], ["s", "sell"], ["p", "best bid and ask, read aloud"], ["t", "chart as a table"]]],
  ["Overview", [["1 … 9", "open what needs you"]]],
  ["Signals", [["r", "dry run of the open one"]]],
];

/** Keys lists what keys do on the pages of the user. */
export function Keys() {
  const session = useSession();
  const mine = pagesOf(session);
  return (
    <dl className={styles.keys}>{groupsOf(mine, mayTrade(session)).map(([where, keys]) => (
      <div key={where}><dt>{where}</dt>{keys.map(([key, act]) => <dd key={key}><kbd>{key}</kbd> {act}</dd>)}</div>))}</dl>
  );
}

function groupsOf(pages: readonly Page[], trades: boolean): readonly Group[] {
  return [
    ["Everywhere", [["Ctrl K", "go to a page, an instrument or an id (⌘ K on a Mac)"], ["/", "first filter of a list"], ["?", "this list"], ...(trades ? [["h", "halt, after a question"] as const] : [])]],
    ["Lists", [["j", "next row"], ["k", "previous row"]]],
    ...trading.filter(([where]) => pages.some(({title}) => title === where)),
    ["Channels", [["d", "dry run"], ["t", "test mode; its end after a question"]]],
    ["Pages", pages.map(({letter, title}) => [`g ${letter}`, title])],
  ];
}
