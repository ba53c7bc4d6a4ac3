import {Suspense, lazy, useEffect, useRef, useState, type ReactNode} from "react";
import {useLocation} from "wouter";
import {pagesOf} from "../app/navigation";
import {useSession} from "../app/session";
import {useShortcuts} from "../ui/shortcuts";
import {HELP} from "./targets";

const Palette = lazy(() => import("./Palette"));
const Help = lazy(() => import("./Help"));

/** How long after g the letter of a page may come. */
const LETTER_MILLISECONDS = 1_500;

/** usePalette gives the console the keys that all pages have. It returns the open dialog, and a function that opens the palette. */
export function usePalette(): {readonly dialog: ReactNode; readonly open: () => void} {
  const [, navigate] = useLocation();
  const [shown, setShown] = useState<"palette" | "help">();
  const before = useRef<Element>(null); // what had the focus
  const show = (next: "palette" | "help") => {
    before.current ??= document.activeElement;
    setShown(next);
  };
  useEffect(() => {
    if (shown) return;
    if (before.current instanceof HTMLElement) before.current.focus();
    before.current = null;
  }, [shown]);
  const close = () => setShown(undefined);
  const go = (path: string) => {
    if (path === HELP.path) return show("help");
    before.current = null; // the page has the focus
    close();
    navigate(path);
  };
  usePaletteKey(() => shown ? close() : document.querySelector("[role=dialog]") === null && show("palette"));
  const letters = usePageLetters();
  useShortcuts({"?": () => show("help"), "/": toFilter, g: letters});
  return {
    open: () => show("palette"),
    dialog: shown && <Suspense>{shown === "palette" ? <Palette close={close} go={go}/> : <Help close={close}/>}</Suspense>,
  };
}

// usePaletteKey runs act on Ctrl K and ⌘ K, in fields too.
function usePaletteKey(act: () => void): void {
  const newest = useRef(act);
  useEffect(() => {
    newest.current = act;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!event.repeat) newest.current();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

// usePageLetters returns a function after which the next key is the letter of a page, and of nothing else.
function usePageLetters(): () => void {
  const [, navigate] = useLocation();
  const mine = pagesOf(useSession());
  const waiting = useRef<AbortController>(null);
  useEffect(() => () => waiting.current?.abort(), []);
  return () => {
    waiting.current?.abort();
    const ended = new AbortController();
    waiting.current = ended;
    const timer = setTimeout(() => ended.abort(), LETTER_MILLISECONDS);
    addEventListener("keydown", (event) => {
      clearTimeout(timer);
      ended.abort();
      const page = mine.find(({letter}) => letter === event.key);
      if (!page || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      navigate(page.path);
    }, {capture: true, signal: ended.signal});
  };
}

// toFilter moves the focus to the first filter of the page, and unfolds the filters.
function toFilter(): void {
  const form = document.querySelector("main form[role=search]");
  form?.closest("details")?.setAttribute("open", "");
  form?.querySelector<HTMLElement>("input, select")?.focus();
}
