import {expect, test} from "vitest";
import {keyOf} from "../../outbound/key";
import {adviceOf, spreadsheetOf, workbookOf} from "./words";

const id = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms";

test.each([
  [`https://docs.google.com/spreadsheets/d/${id}/edit#gid=0`, id], [`https://docs.google.com/spreadsheets/u/1/d/${id}/edit?usp=sharing`, id],
  [`https://docs.google.com/spreadsheets/d/${id}`, id], [` ${id} `, id],
  ["https://docs.google.com/document/d/x/edit", undefined], ["short", undefined], ["", undefined], [`${id}/../x`, undefined],
])("the id of the spreadsheet in %j", (text, want) => expect(spreadsheetOf(text)).toBe(want));

test.each([
  [`{"type":"service_account","client_email":"robot@project.iam.gserviceaccount.com"}`, "robot@project.iam.gserviceaccount.com"],
  [`{"type":"authorized_user","client_email":"a@b"}`, undefined], [`{"type":"service_account"}`, undefined], ["null", undefined], ["[]", undefined], ["not JSON", undefined],
])("the service account of %j", (text, want) => expect(keyOf(text)?.robot).toBe(want));

test.each([
  ["trades", "trades.xlsx"], ["trades.XLSX", "trades.xlsx"], [" a-b_c.1.xlsx ", "a-b_c.1.xlsx"],
  ["", undefined], [".xlsx", undefined], ["../trades", undefined], ["a b", undefined], ["x".repeat(65), undefined],
])("the file of %j", (text, want) => expect(workbookOf(text)).toBe(want));

test("a group in which the bot is no administrator has advice, a ready chat has none", () => {
  expect(adviceOf({kind: "group", missing: "it is only a member"}, "desk_bot")).toMatch(/it is only a member\..*Administrators.*@desk_bot/);
  expect(adviceOf({kind: "private", missing: ""}, "desk_bot")).toBeUndefined();
});
