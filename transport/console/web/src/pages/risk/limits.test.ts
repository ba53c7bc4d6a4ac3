import {expect, test} from "vitest";
import {draftOf, inputOf, mistakesOf} from "./limits";

test("limits are typed and sent as they are", () => {
  const limits = {dailyLoss: "500.10", maxOrderNotional: null, maxOpenOrders: 20};
  expect(draftOf(limits)).toEqual({dailyLoss: "500.10", maxOrderNotional: "", maxOpenOrders: "20"});
  expect(inputOf(draftOf(limits))).toEqual({dailyLoss: "500.10", maxOpenOrders: 20});
  expect(inputOf({dailyLoss: " ", maxOrderNotional: " 7 ", maxOpenOrders: ""})).toEqual({maxOrderNotional: "7"});
});

test.each(["0", "01", "-1", "1.5", "1000000", "x"])("%s is no number of open orders", (maxOpenOrders) => {
  expect(mistakesOf({dailyLoss: "", maxOrderNotional: "", maxOpenOrders}).maxOpenOrders).toBeTruthy();
});

test("amounts above zero, and nothing, are no mistakes", () => {
  expect(mistakesOf({dailyLoss: "", maxOrderNotional: "0.5", maxOpenOrders: "999999"})).toEqual({dailyLoss: undefined, maxOrderNotional: undefined, maxOpenOrders: undefined});
  expect(mistakesOf({dailyLoss: "1,5", maxOrderNotional: "0", maxOpenOrders: ""})).toMatchObject({dailyLoss: expect.any(String), maxOrderNotional: expect.any(String)});
});
