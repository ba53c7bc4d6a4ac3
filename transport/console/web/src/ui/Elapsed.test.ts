import {expect, test} from "vitest";
import {clockOf} from "./Elapsed";

test.each([[-5_000, "00:00"], [999, "00:00"], [41_000, "00:41"], [3_599_999, "59:59"], [3_600_000, "01:00:00"], [100 * 3_600_000, "100:00:00"]])("%i ms are %s", (milliseconds, want) => {
  expect(clockOf(milliseconds)).toBe(want);
});
