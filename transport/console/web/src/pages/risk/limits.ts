import {secondsOf} from "../../api/client";
import type {Limits} from "../../api/types";
import {typed} from "../../money/format";

/** Limits as they are typed; an empty text is no limit. */
export interface Draft {
  readonly dailyLoss: string;
  readonly maxOrderNotional: string;
  readonly maxOpenOrders: string;
}

/** draftOf returns limits as they are typed. */
export function draftOf({dailyLoss, maxOrderNotional, maxOpenOrders}: Limits): Draft {
  return {dailyLoss: dailyLoss ?? "", maxOrderNotional: maxOrderNotional ?? "", maxOpenOrders: maxOpenOrders === null ? "" : `${maxOpenOrders}`};
}

/** mistakesOf returns what is wrong with each limit. */
export function mistakesOf({dailyLoss, maxOrderNotional, maxOpenOrders}: Draft): Readonly<Record<keyof Draft, string | undefined>> {
  const amount = (text: string) => text.trim() === "" ? undefined : typed(text).fault;
  return {
    dailyLoss: amount(dailyLoss), maxOrderNotional: amount(maxOrderNotional),
    maxOpenOrders: /^([1-9]\d{0,5})?$/.test(maxOpenOrders.trim()) ? undefined : "A whole number from 1 to 999999.",
  };
}

/** inputOf returns limits as the service takes them: those without a value are left out. */
export function inputOf(draft: Draft): {dailyLoss?: string; maxOrderNotional?: string; maxOpenOrders?: number} {
  const [loss, notional, orders] = [draft.dailyLoss.trim(), draft.maxOrderNotional.trim(), draft.maxOpenOrders.trim()];
  return {...(loss && {dailyLoss: loss}), ...(notional && {maxOrderNotional: notional}), ...(orders && {maxOpenOrders: secondsOf(orders)})};
}
