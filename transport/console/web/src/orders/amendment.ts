// What a change of an order sends: only what differs, and either its terms or its protection.
import type {Order} from "../api/types";
import {compare} from "../money/decimal";
import {typed} from "../money/format";
import {isOpen} from "./words";

/** The fields of the dialog as they were typed. */
export type Fields = Readonly<Record<Field, string>>;
export type Field = "price" | "triggerPrice" | "qty" | "stopLoss" | "takeProfit";

const protection: readonly Field[] = ["stopLoss", "takeProfit"];

/** fieldsOf returns the fields that an order of this type has: once it is filled, what protects the position. */
export function fieldsOf(order: Order): readonly Field[] {
  if (!isOpen(order)) return protection;
  const terms: Field[] = ["qty"];
  if (order.price !== null) terms.unshift("price");
  if (order.triggerPrice !== null && order.status !== "open") terms.unshift("triggerPrice");
  return order.reduceOnly ? terms : [...terms, ...protection];
}

export interface Change {
  /** The body of the request; absent if nothing can be sent. */
  readonly body?: Readonly<Partial<Record<Field, string | null>>>;
  readonly faults: Readonly<Partial<Record<Field, string>>>;
  /** What is wrong with the fields together. */
  readonly fault?: string;
}

/** changeOf returns what was changed, or what is wrong with it. */
export function changeOf(order: Order, fields: Fields): Change {
  const body: Partial<Record<Field, string | null>> = {};
  const faults: Partial<Record<Field, string>> = {};
  for (const field of fieldsOf(order)) {
    const before = order[field];
    if (fields[field].trim() === "" && protection.includes(field)) {
      if (before !== null) body[field] = null;
      continue;
    }
    const {value, fault} = typed(fields[field]);
    if (fault !== undefined) faults[field] = fault;
    else if (before === null || compare(value, before) !== 0) body[field] = value;
  }
  const names = Object.keys(body) as Field[];
  if (Object.keys(faults).length > 0) return {faults};
  if (names.length === 0) return {faults, fault: "Nothing is changed yet."};
  if (names.some((name) => protection.includes(name)) && names.some((name) => !protection.includes(name)))
    return {faults, fault: "Change the order first and its stop loss or take profit afterwards: venues need two requests for that."};
  return {faults, body};
}
