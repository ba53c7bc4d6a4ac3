import {useQuery} from "@tanstack/react-query";
import {call} from "../api/client";
import type {Preferences} from "../api/types";

/** PREFERENCES is the key under which the preferences of the user are kept once they are read. */
export const PREFERENCES = ["preferences"];

/** usePreferences reads how the user wants the console. */
export function usePreferences() {
  return useQuery({queryKey: PREFERENCES, queryFn: () => call<Preferences>("GET", "preferences"), staleTime: Infinity});
}
