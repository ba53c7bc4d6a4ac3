// What is read and said of price alerts.
import type {Alert, JournalRow} from "../../api/types";
import {compare, type Decimal} from "../../money/decimal";

export type Condition = Alert["condition"];

/** What the price has to do, for a choice and for a sentence. */
export const operators: Readonly<Record<Condition["op"], {readonly label: string; readonly words: string}>> = {
  above: {label: "is above", words: "above"}, below: {label: "is below", words: "below"},
  crosses_above: {label: "rises above", words: "rises above"}, crosses_below: {label: "falls below", words: "falls below"},
};

export const fields: Readonly<Record<Condition["field"], string>> = {last: "last price", mark: "mark price"};

/** holds reports whether an alert on a condition would fire at once at a price. One that waits for a crossing never does. */
export function holds({op, value}: Pick<Condition, "op" | "value">, price: Decimal): boolean {
  const order = compare(price, value);
  return op === "above" ? order > 0 : op === "below" && order < 0;
}

/** A firing of an alert, as the journal has it. */
export interface Firing {
  readonly id: string;
  readonly at: string;
  readonly alert: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly condition: Partial<Condition>;
  readonly price: Decimal | null;
}

/** firingOf returns the firing that a row of kind alert.fired records. */
export function firingOf({id, at, subject, symbol, fields}: Pick<JournalRow, "id" | "at" | "subject" | "symbol" | "fields">): Firing {
  const member = (name: string) => fields.find((each) => each.name === name)?.value;
  const [field, op, value] = member("condition")?.split(" ") ?? [];
  return {
    id, at, alert: subject, exchange: member("exchange") ?? "", symbol: symbol ?? "", price: member("price") ?? null,
    condition: {...(field && {field: field as Condition["field"]}), ...(op && {op: op as Condition["op"]}), ...(value && {value})},
  };
}
