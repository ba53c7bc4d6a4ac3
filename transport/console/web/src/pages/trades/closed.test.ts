import {expect, test} from "vitest";
import {csvOfLines, periodOf} from "./closed";

const now = new Date("2026-11-27T18:30:00.000Z");

test.each([
  ["none: the same all day long", {}, {from: "2026-10-27T00:00:00.000Z"}],
  ["a start", {from: "2026-01-02"}, {from: "2026-01-02T00:00:00.000Z"}],
  ["an end", {to: "2026-03-04"}, {from: "2026-02-01T00:00:00.000Z", to: "2026-03-04T00:00:00.000Z"}],
  ["both", {from: "2026-01-02", to: "2026-03-04"}, {from: "2026-01-02T00:00:00.000Z", to: "2026-03-04T00:00:00.000Z"}],
  ["no dates", {from: "x", to: "y"}, {from: "2026-10-27T00:00:00.000Z"}],
])("the period of %s", (_, chosen, want) => expect(periodOf(chosen, now)).toEqual(want));

test("CSV has the decimals of the service, and text is no formula", () => {
  const lines = JSON.stringify({exchange: "okx", symbol: "BTCUSDT", realizedPnl: "-0.000000000000000001", fee: null, comment: "=1+1"}) + "\n";
  expect(csvOfLines(lines)).toBe("exchange,symbol,side,qty,entryPrice,exitPrice,realizedPnl,fee,feeCurrency,reason,openedAt,closedAt,heldSeconds,comment\r\n" +
    "okx,BTCUSDT,,,,,-0.000000000000000001,,,,,,,'=1+1\r\n");
  expect(csvOfLines("").split("\r\n")).toHaveLength(2);
});
