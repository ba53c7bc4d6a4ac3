import {expect, test} from "vitest";
import type {Instrument, Session} from "../api/types";
import {pages, pagesOf} from "../app/navigation";
import {TARGETS_MOST, targetsOf} from "./targets";

const of = (role: Session["role"]) => pagesOf({role} as Session);
const instrument = (exchange: string, symbol: string) => ({exchange, symbol}) as Instrument;
const instruments = [instrument("binance", "BTCUSDT-261225"), instrument("binance", "BTCUSDT"), instrument("okx", "BTCUSDT"), instrument("okx", "ORDIUSDT")];
const titles = (typed: string, mine = of("owner"), all = instruments) => targetsOf(typed, mine, all).map(({title, about}) => `${title} ${about}`);

test("without a text all pages of the user are listed", () => {
  expect(titles("")).toContain("Users Page");
  expect(titles("", of("viewer"))).not.toContain("Users Page");
  expect(titles("", of("viewer")).some((title) => title.startsWith("Actors"))).toBe(false);
  expect(titles("", of("operator"))).toContain("Actors Page");
  expect(titles("trade", of("operator"), [])).toEqual([]);
});

test("titles that begin with the text are first, then shorter instruments", () => {
  expect(titles("ord")).toEqual(["Orders Page", "ORDIUSDT okx"]);
  expect(titles("TRADE")).toEqual(["Trade Page", "Closed trades Page"]);
  expect(titles(" btc")).toEqual(["BTCUSDT binance", "BTCUSDT okx", "BTCUSDT-261225 binance"]);
  expect(titles("btc okx")).toEqual(["BTCUSDT okx"]);
  expect(titles("nothing like it")).toEqual([]);
});

test("an instrument is a path of the trade page", () => {
  expect(targetsOf("btcusdt okx", of("viewer"), instruments).map(({path}) => path)).toEqual(["/trade/okx/BTCUSDT"]);
});

test.each([
  ["ord_1M8", "owner", ["/orders?status=all&order=ord_1M8", "/journal?subject=ord_1M8"]],
  [" evt_1M8\n", "viewer", ["/deliveries?eventId=evt_1M8", "/journal?subject=evt_1M8"]],
  ["fil_1M8", "viewer", ["/journal?subject=fil_1M8"]],
  ["ord_1M8", "operator", ["/journal?subject=ord_1M8"]],
  ["hook_1M8", "operator", ["/channels/hook_1M8", "/journal?subject=hook_1M8"]],
] as const)("the id %j of a user who is %s", (id, role, want) => {
  expect(targetsOf(id, of(role), []).map(({path}) => path)).toEqual(want);
});

test("a long list is cut", () => {
  const many = Array.from({length: 500}, (_, n) => instrument("okx", `BTC${n}USDT`));
  expect(titles("btc", of("owner"), many)).toHaveLength(TARGETS_MOST);
});

test("each page has its own letter among those of a user", () => {
  expect(pages.filter(({letter}) => !/^[a-z]$/.test(letter))).toEqual([]);
  for (const role of ["owner", "operator"] as const) {
    const letters = of(role).map(({letter}) => letter);
    expect(letters.filter((letter, at) => letters.indexOf(letter) !== at), role).toEqual([]);
  }
});
