import {expect, test} from "vitest";
import {totalsOf, tradesOf} from "./closed";

const line = (currency: string | null, realizedPnl: string | null, fee: string) => JSON.stringify({feeCurrency: currency, realizedPnl, fee}) + "\n";

test("totals are exact, one for each currency", () => {
  expect(totalsOf(tradesOf(line("USDT", "0.1", "0.01") + line("USDC", "-5", "0.5") + line("USDT", "0.2", "0.02")))).toEqual([
    {currency: "USDC", count: 1, realized: "-5", fees: "0.5"},
    {currency: "USDT", count: 2, realized: "0.3", fees: "0.03"},
  ]);
});

test("a total with an unknown part is not known", () => {
  expect(totalsOf(tradesOf(line("USDT", "1", "0.1") + line("USDT", null, "0.1")))).toEqual([{currency: "USDT", count: 2, realized: undefined, fees: "0.2"}]);
});

test("no lines are no trades", () => expect(tradesOf("")).toEqual([]));
