import type {Balance, Fill} from "../../api/types";
import {difference, sum, type Decimal} from "../../money/decimal";

/** The balances of all venues in one currency. */
export interface Sum {
  readonly currency: string;
  readonly equity: Decimal | undefined;
  readonly available: Decimal | undefined;
  readonly unrealized: Decimal | undefined;
}

/** sumsOf adds balances up by their currency. Nothing is converted. */
export function sumsOf(balances: readonly Balance[]): Sum[] {
  return [...new Set(balances.map(({currency}) => currency))].toSorted().map((currency) => {
    const these = balances.filter((one) => one.currency === currency);
    return {
      currency, equity: sum(these.map((one) => one.equity)), available: sum(these.map((one) => one.available)),
      unrealized: sum(these.map((one) => one.unrealizedPnl)),
    };
  });
}

/** realizedOf returns what fills have realized after their fees, by the currency of the fees, which is the one they settle in. */
export function realizedOf(fills: readonly Fill[], currency: string): Decimal | undefined {
  const these = fills.filter((fill) => fill.feeCurrency === currency);
  // A fill without fee may belong to any currency.
  if (fills.some((fill) => fill.feeCurrency === null)) return undefined;
  return difference(sum(these.map((fill) => fill.realizedPnl)), sum(these.map((fill) => fill.fee)));
}
