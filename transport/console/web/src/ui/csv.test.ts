import {expect, test} from "vitest";
import {csvOf} from "./csv";

test("csv", () => {
  expect(csvOf([["a", null, true], ["-0.10", "=1+1", "-x"], ['say "a,b"', "1e-7", "@x\ny"]]))
    .toBe('a,,true\r\n-0.10,\'=1+1,\'-x\r\n"say ""a,b""",1e-7,"\'@x\ny"\r\n');
});
