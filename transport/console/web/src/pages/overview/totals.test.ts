import {expect, test} from "vitest";
import type {Balance, Fill} from "../../api/types";
import {realizedOf, sumsOf} from "./totals";

test("balances are added by currency, exactly", () => {
  const of = (currency: string, equity: string) => ({currency, equity, available: "1", unrealizedPnl: "-0.1"}) as Balance;
  expect(sumsOf([of("USDT", "0.1"), of("USDC", "5"), of("USDT", "0.2")])).toEqual([
    {currency: "USDC", equity: "5", available: "1", unrealized: "-0.1"},
    {currency: "USDT", equity: "0.3", available: "2", unrealized: "-0.2"},
  ]);
});

test("what was realized is after fees, and not known if a part is not", () => {
  const fill = (feeCurrency: string | null, realizedPnl: string | null, fee: string | null) => ({feeCurrency, realizedPnl, fee}) as Fill;
  const fills = [fill("USDT", "1.5", "0.1"), fill("USDC", "-9", "1"), fill("USDT", "0", "-0.05")];
  expect(realizedOf(fills, "USDT")).toBe("1.45");
  expect(realizedOf([], "USDT")).toBe("0");
  expect(realizedOf([...fills, fill("USDT", null, "0")], "USDT")).toBeUndefined();
  expect(realizedOf([...fills, fill(null, "1", null)], "USDT")).toBeUndefined();
});
