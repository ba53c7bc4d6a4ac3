// What the palette lists for a typed text.
import type {Instrument} from "../api/types";
import type {Page} from "../app/navigation";
import {pathOfRecord} from "../app/paths";

/** Something that the palette goes to. */
export interface Target {
  readonly title: string;
  /** What it is, such as "Order" or the venue of an instrument. */
  readonly about: string;
  readonly path: string;
  /** The keys that do the same. */
  readonly keys?: string;
}

/** The target that is no page: the list of keys. */
export const HELP: Target = {title: "Keyboard shortcuts", about: "Help", path: "?", keys: "?"};

/** TARGETS_MOST is how many matches are listed; more are found with another word. */
export const TARGETS_MOST = 30;

const RECORD = /^[a-z]+_[0-9A-Za-z]+$/;
const names: Readonly<Record<string, string>> = {ord: "Order", sig: "Signal", evt: "Event", hook: "Channel", end: "Endpoint"};

/** targetsOf returns what a text matches among the pages of a user and instruments, best first. An id matches the record that has it. */
export function targetsOf(typed: string, pages: readonly Page[], instruments: readonly Instrument[]): readonly Target[] {
  const text = typed.trim();
  const own = pages.map(({title, path, letter}): Target => ({title, about: "Page", path, keys: `g ${letter}`}));
  if (text === "") return [...own, HELP];
  if (RECORD.test(text)) return recordsOf(text, pages);
  const words = text.toLowerCase().split(/\s+/);
  const markets = instruments.map(({symbol, exchange}): Target => ({title: symbol, about: exchange, path: `/trade/${exchange}/${encodeURIComponent(symbol)}`}))
    .sort((a, b) => a.title.length - b.title.length);
  return [...own, HELP, ...markets]
    .flatMap((target) => {
      const rank = rankOf(words, target);
      return rank === undefined ? [] : [{target, rank}];
    })
    .sort((a, b) => a.rank - b.rank).slice(0, TARGETS_MOST).map(({target}) => target);
}

// rankOf returns how well words match: 0 if the title begins with the first one, 1 if a word
// of it does, 2 if they are anywhere; undefined if one of them is nowhere.
function rankOf(words: readonly string[], {title, about}: Target): number | undefined {
  const name = title.toLowerCase();
  const all = `${name} ${about.toLowerCase()}`;
  const [first = ""] = words;
  if (!words.every((word) => all.includes(word))) return undefined;
  if (name.startsWith(first)) return 0;
  return name.split(" ").some((word) => word.startsWith(first)) ? 1 : 2;
}

// recordsOf returns where a page of the user shows the record, and where its rows are.
function recordsOf(id: string, pages: readonly Page[]): readonly Target[] {
  const path = pathOfRecord(id, pages);
  const rows = {title: id, about: "Rows of the journal", path: `/journal?subject=${encodeURIComponent(id)}`};
  return path === undefined ? [rows] : [{title: id, about: names[id.split("_")[0] ?? ""] ?? "Record", path}, rows];
}
