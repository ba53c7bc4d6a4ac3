import {secondsOf} from "../../api/client";
import {percent, signOf, type Decimal} from "../../money/decimal";
import {shown} from "../../money/format";

const NEAR_PERCENT = 75;

/** The loss against its limit in words, how much of the limit it is, and how near that is. */
export interface Meter {
  readonly text: string;
  readonly percent: number;
  readonly look: "calm" | "near" | "full";
}

/** meterOf returns the loss against its limit. What is not known is never zero. */
export function meterOf(loss: Decimal | null, limit: Decimal | null, currency: string): Meter {
  const most = limit === null ? "" : ` of ${shown(limit)}`;
  if (loss === null) return {text: limit === null ? "not known" : `not known${most} ${currency}`, percent: 0, look: "calm"};
  const gain = signOf(loss) < 0 ? `a gain of ${shown(loss.slice(1))}` : undefined;
  if (limit === null) return {text: `${gain ?? shown(loss)} ${currency}`, percent: 0, look: "calm"};
  const share = secondsOf(percent(loss, limit));
  return {
    text: gain ? `0${most} ${currency}, ${gain}` : `${shown(loss)}${most} ${currency}`,
    percent: share, look: share >= 100 ? "full" : share >= NEAR_PERCENT ? "near" : "calm",
  };
}
