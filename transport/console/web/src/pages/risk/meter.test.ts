import {expect, test} from "vitest";
import {meterOf} from "./meter";

test.each([
  ["188", "500", "188 of 500 USDT", 37, "calm"], ["375", "500", "375 of 500 USDT", 75, "near"], ["512.5", "500", "512.5 of 500 USDT", 100, "full"],
  ["0", "500", "0 of 500 USDT", 0, "calm"], ["-12.5", "500", "0 of 500 USDT, a gain of 12.5", 0, "calm"], [null, "500", "not known of 500 USDT", 0, "calm"],
  ["188", null, "188 USDT", 0, "calm"], ["-3", null, "a gain of 3 USDT", 0, "calm"], [null, null, "not known", 0, "calm"],
])("a loss of %s against %s", (loss, limit, text, percent, look) => expect(meterOf(loss, limit, "USDT")).toEqual({text, percent, look}));
