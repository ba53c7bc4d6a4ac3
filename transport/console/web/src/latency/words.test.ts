import {expect, test} from "vitest";
import {hopsOf, logWidth, longest, micros} from "./words";

test.each([[0, "0 µs"], [999, "999 µs"], [1000, "1.00 ms"], [12_340, "12.3 ms"], [1_500_000, "1.50 s"]])("%d µs", (value, want) => expect(micros(value)).toBe(want));

test.each([[0, 0], [10, 0], [100, 17], [10_000, 50], [10_000_000, 100], [60_000_000, 100]])("the bar of %d µs", (value, want) => expect(logWidth(value)).toBe(want));

test("the hop that took longest", () => {
  expect(longest({hopsUs: {authenticated: 20, venue_answered: 9000, answered: 30}})).toEqual({hop: "venue_answered", microseconds: 9000});
  expect(longest({hopsUs: {}})).toBeUndefined();
});

test("hops are in their order, without those that have not ended", () => {
  expect(hopsOf({hopsUs: {answered: 3, authenticated: 1, sent: 2}}).map(({hop}) => hop)).toEqual(["authenticated", "sent", "answered"]);
});
