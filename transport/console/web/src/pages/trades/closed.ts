import {sum, type Decimal} from "../../money/decimal";

/** A position from its first execution until it was flat, as the service exports it. */
export interface Trade {
  readonly exchange: string;
  readonly symbol: string;
  readonly side: "long" | "short";
  readonly qty: Decimal | null;
  readonly entryPrice: Decimal | null;
  readonly exitPrice: Decimal | null;
  /** Without the fee. */
  readonly realizedPnl: Decimal | null;
  readonly fee: Decimal | null;
  readonly feeCurrency: string | null;
  readonly reason: string | null;
  readonly openedAt: string | null;
  readonly closedAt: string | null;
  readonly heldSeconds: string | null;
  readonly comment: string | null;
}

/** tradesOf reads the lines of an export. */
export function tradesOf(lines: string): Trade[] {
  return lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Trade);
}

/** What trades whose fees were paid in one currency have come to. */
export interface Total {
  readonly currency: string;
  readonly count: number;
  /** Undefined if that of one of them is not known. */
  readonly realized: Decimal | undefined;
  readonly fees: Decimal | undefined;
}

/** totalsOf adds trades up by the currency of their fees, which is the one they settle in. */
export function totalsOf(trades: readonly Trade[]): Total[] {
  return [...new Set(trades.map((trade) => trade.feeCurrency ?? "unknown currency"))].toSorted().map((currency) => {
    const these = trades.filter((trade) => (trade.feeCurrency ?? "unknown currency") === currency);
    return {currency, count: these.length, realized: sum(these.map((one) => one.realizedPnl)), fees: sum(these.map((one) => one.fee))};
  });
}
