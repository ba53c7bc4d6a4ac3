import type {Hook, HookKind, HookStats, Session} from "../../api/types";

/** kindNames are the kinds of channel as pages name them. */
export const kindNames: Record<HookKind, string> = {webhook: "signed", chart: "chart"};

/** stateOf returns the state of a channel: paused comes before test mode. */
export function stateOf({paused, testMode}: Pick<Hook, "paused" | "testMode">): "on" | "test" | "paused" {
  return paused ? "paused" : testMode ? "test" : "on";
}

const opposites: Readonly<Record<string, string>> = {
  "": "A signal against an open position is sent as it is: it may reduce, close or turn the position.",
  reject: "A signal against an open position is rejected.",
  ignore: "A signal against an open position is ignored.",
  close: "A signal against an open position closes it and opens nothing.",
  reverse: "A signal against an open position closes it and opens one on the other side.",
};

/** possibleWithoutTest returns what signals of a channel may do once its test mode is off. */
export function possibleWithoutTest({rules}: Pick<Hook, "rules">, {environments}: Pick<Session, "environments">): string[] {
  const venues = Object.entries(environments).map(([venue, environment]) => `${venue} (${environment})`);
  return [
    `Orders are placed on ${venues.join(", ")}.`,
    rules.symbols.length > 0 ? `In ${rules.symbols.join(", ")}.` : "In every instrument.",
    rules.maxQty === null ? "Positions of any size." : `Up to ${rules.maxQty} of the base coin a position.`,
    rules.stopRequired ? "Only with a stop loss." : "Also without a stop loss.",
    opposites[rules.opposite] ?? "",
  ];
}

/** countsOf returns what became of the signals of a channel: "41 done · 3 refused · 1 expired". */
export function countsOf({statuses, complete}: Pick<HookStats, "statuses" | "complete">): string {
  const parts = [
    [statuses.done, "done"], [statuses.test, "test"], [statuses.rejected, "refused"], [statuses.expired, "expired"], [statuses.ignored, "ignored"],
    [statuses.accepted + statuses.running, "under way"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return shown.length === 0 ? "none" : `${shown.join(" · ")}${complete ? "" : " of the newest"}`;
}
