import {useEffect, useRef} from "react";
import {usePreferences} from "../app/preferences";

const TYPED_INTO = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable], [role=menu]";

/** useShortcuts runs acts on single keys, unless the user types, a dialog is open, or the user has switched them off. */
export function useShortcuts(acts: Readonly<Record<string, (() => void) | undefined>>): void {
  const on = usePreferences().data?.shortcuts === true;
  const newest = useRef(acts);
  useEffect(() => {
    newest.current = acts;
  });
  useEffect(() => {
    if (!on) return;
    const pressed = (event: KeyboardEvent) => {
      const at = event.target instanceof Element ? event.target : undefined;
      const act = newest.current[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (at?.closest(TYPED_INTO) || document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [on]);
}
