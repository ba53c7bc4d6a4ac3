// What is read and said of chats, spreadsheets and workbooks.
import type {Chat} from "../../api/types";

/** The columns of the row of a closed trade, with an example of each. */
export const columns: readonly {readonly title: string; readonly example: string}[] = [
  {title: "Time", example: "2026-11-20T09:15:27.123Z"}, {title: "Instrument", example: "binance:BTCUSDT"}, {title: "Direction", example: "long"},
  {title: "Quantity", example: "0.5"}, {title: "Entry price", example: "64000.1"}, {title: "Exit price", example: "64100.2"},
  {title: "Fee", example: "12.8"}, {title: "P&L", example: "50.05"}, {title: "Comment", example: "take profit"},
];

/** spreadsheetOf returns the id of a spreadsheet from its address, or from the id itself; undefined if there is none in it. */
export function spreadsheetOf(text: string): string | undefined {
  const id = /\/spreadsheets\/(?:u\/\d+\/)?d\/([^/?#]+)/.exec(text)?.[1] ?? text.trim();
  return /^[A-Za-z0-9_-]{10,128}$/.test(id) ? id : undefined;
}

/** workbookOf returns the name of a file from what was typed, with its ending; undefined if no file can have it. */
export function workbookOf(text: string): string | undefined {
  const typed = text.trim();
  const name = typed.toLowerCase().endsWith(".xlsx") ? `${typed.slice(0, -5)}.xlsx` : `${typed}.xlsx`;
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.xlsx$/.test(name) ? name : undefined;
}

/** adviceOf returns what to do in a chat in which the bot lacks something. */
export function adviceOf({kind, missing}: Pick<Chat, "kind" | "missing">, username: string): string | undefined {
  if (missing === "") return undefined;
  const place = kind === "channel" ? "channel" : "group";
  return `Not ready: ${missing}. In the ${place} press its name, Edit, Administrators, Add Admin, and choose @${username}; then look again.`;
}
