import type {HaltReport, VenueAccount} from "../api/types";

/** The currency that limits and losses are in. The service counts USDC as equal. */
export const CURRENCY = "USDT";

/** What an account may do, and the look of it. */
export interface State {
  readonly word: string;
  readonly mark: string;
  readonly look: "good" | "bad";
}

/** stateOf returns what an account may do. A halt is stronger than a lock. */
export function stateOf({halted, lock}: Pick<VenueAccount, "halted" | "lock">): State {
  if (halted) return {word: "halted", mark: "■", look: "bad"};
  return lock ? {word: "locked", mark: "▲", look: "bad"} : {word: "trading", mark: "●", look: "good"};
}

/** leftOf returns what a halt still waits for, such as "2 orders and 1 position left". */
export function leftOf({done, openOrders, openPositions}: HaltReport, flatten: boolean): string {
  if (done) return flatten || openPositions === 0 ? "no order is left" : `no order is left; ${counted(openPositions, "position")} ${openPositions === 1 ? "stays" : "stay"}`;
  const parts = [openOrders > 0 && counted(openOrders, "order"), flatten && openPositions > 0 && counted(openPositions, "position")].filter(Boolean);
  return parts.length > 0 ? `${parts.join(" and ")} left` : "the venue's list is being read";
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
