import type {VenueItems} from "../api/types";

/** Missing names the venues of whose records nothing is known. */
export function Missing({errors, what}: {errors: VenueItems<unknown>["errors"]; what: string}) {
  if (!errors || errors.length === 0) return null;
  return <p role="status" style={{padding: "var(--space-3) var(--space-4)", color: "var(--warning)"}}>
    Without the {what} of {errors.map(({exchange, message}) => `${exchange} (${message})`).join(", ")}.</p>;
}
