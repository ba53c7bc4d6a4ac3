// What is read of accounts and their risk.
import {useQueryClient} from "@tanstack/react-query";
import {call} from "../api/client";
import type {AccountRisk, Items, VenueAccount} from "../api/types";
import {FAST_MILLISECONDS, SLOW_MILLISECONDS, useReading} from "../app/reading";

/** useAccounts reads the connected accounts. */
export function useAccounts() {
  return useReading(["accounts"], () => call<Items<VenueAccount>>("GET", "accounts"), SLOW_MILLISECONDS);
}

/** useRisk reads the loss of the day of an account. */
export function useRisk(id: string, milliseconds = FAST_MILLISECONDS) {
  return useReading(["accounts", id, "risk"], () => call<AccountRisk>("GET", `accounts/${id}/risk`), milliseconds);
}

/** useAccountsChanged returns a function that reads accounts, and what depends on them, again. */
export function useAccountsChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all([queries.invalidateQueries({queryKey: ["accounts"]}), queries.invalidateQueries({queryKey: ["v1"]})]);
  };
}
