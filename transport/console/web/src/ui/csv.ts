import {isDecimal} from "../money/decimal";

type Cell = string | boolean | null | undefined;

/** csvOf returns a table as CSV. Text that a spreadsheet would run as a formula is preceded by an apostrophe. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => row.map(cellOf).join(",") + "\r\n").join("");
}

function cellOf(value: Cell): string {
  const text = value === null || value === undefined ? "" : `${value}`;
  const safe = /^[=+\-@\t\r]/.test(text) && !isDecimal(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** save gives text to the browser as a file. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
