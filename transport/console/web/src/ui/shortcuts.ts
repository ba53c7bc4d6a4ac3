import {useQuery} from "@tanstack/react-query";
import {useEffect} from "react";
import {call} from "../api/client";
import type {Preferences} from "../api/types";

/** useShortcuts runs acts on single keys, unless the user types, a dialog is open, or the user has switched them off. */
export function useShortcuts(acts: Readonly<Record<string, (() => void) | undefined>>): void {
  const preferences = useQuery({queryKey: ["preferences"], queryFn: () => call<Preferences>("GET", "preferences"), staleTime: Infinity});
  const on = preferences.data?.shortcuts === true;
  useEffect(() => {
    if (!on) return;
    const pressed = (event: KeyboardEvent) => {
      const at = event.target instanceof Element ? event.target : undefined;
      const act = acts[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (at?.closest("input, textarea, select, [contenteditable], [role=menu]") || document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [acts, on]);
}
