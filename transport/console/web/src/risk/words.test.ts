import {expect, test} from "vitest";
import {leftOf, stateOf} from "./words";

test.each([
  [{done: false, openOrders: 2, openPositions: 1}, true, "2 orders and 1 position left"],
  [{done: false, openOrders: 1, openPositions: 3}, false, "1 order left"],
  [{done: false, openOrders: 0, openPositions: 2}, true, "2 positions left"],
  [{done: false, openOrders: 0, openPositions: 0}, true, "the venue's list is being read"],
  [{done: true, openOrders: 0, openPositions: 0}, true, "no order is left"],
  [{done: true, openOrders: 0, openPositions: 1}, false, "no order is left; 1 position stays"],
  [{done: true, openOrders: 0, openPositions: 2}, false, "no order is left; 2 positions stay"],
])("left of %o, closing %s", (report, flatten, want) => expect(leftOf(report, flatten)).toBe(want));

test("a halt is stronger than a lock", () => {
  const lock = {limit: "daily_loss", threshold: "5", actual: "6", until: "2026-11-28T00:00:00.000Z"};
  expect([stateOf({halted: true, lock}), stateOf({halted: false, lock}), stateOf({halted: false, lock: null})].map(({word}) => word)).toEqual(["halted", "locked", "trading"]);
});
