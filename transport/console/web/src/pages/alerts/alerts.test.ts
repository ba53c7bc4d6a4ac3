import {expect, test} from "vitest";
import {firingOf, holds} from "./words";

test.each([
  ["above", "100", "100.1", true], ["above", "100", "100", false], ["above", "100", "99.9", false],
  ["below", "100", "99.999999999999999999", true], ["below", "100", "100", false],
  ["crosses_above", "100", "101", false], ["crosses_below", "100", "99", false],
] as const)("a condition %s %s holds at %s: %s", (op, value, price, want) => expect(holds({op, value}, price)).toBe(want));

test("a firing has the price and the condition of its row", () => {
  const row = {id: "jrn_1", at: "2026-11-20T09:15:27.123Z", subject: "alr_1", symbol: "BTCUSDT", fields: [
    {name: "exchange", value: "okx"}, {name: "condition", value: "mark crosses_below 64000.5"}, {name: "price", value: "63999.9"},
  ]};
  expect(firingOf(row)).toEqual({
    id: "jrn_1", at: row.at, alert: "alr_1", exchange: "okx", symbol: "BTCUSDT", price: "63999.9", condition: {field: "mark", op: "crosses_below", value: "64000.5"},
  });
  expect(firingOf({...row, fields: []})).toMatchObject({exchange: "", price: null, condition: {}});
});
