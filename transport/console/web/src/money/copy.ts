import {GROUP, MINUS, unformatted} from "./format";

/** copyPlainDecimals makes what is copied from a page the plain text of its decimals. */
export function copyPlainDecimals(): void {
  document.addEventListener("copy", (event) => {
    const text = document.getSelection()?.toString() ?? "";
    if (event.defaultPrevented || !event.clipboardData || (!text.includes(GROUP) && !text.includes(MINUS))) return;
    event.clipboardData.setData("text/plain", unformatted(text));
    event.preventDefault();
  });
}
