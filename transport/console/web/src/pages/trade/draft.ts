import type {Instrument, OrderRequest} from "../../api/types";
import {compare, product, type Decimal} from "../../money/decimal";
import {shown, typed} from "../../money/format";
import {leastFor, nearest} from "../../money/steps";

/** Draft is an order as it stands in the ticket: the fields have what was typed. */
export interface Draft {
  readonly side: OrderRequest["side"];
  readonly type: OrderRequest["type"];
  readonly timeInForce: "gtc" | "ioc" | "fok";
  readonly qty: string;
  readonly price: string;
  readonly triggerPrice: string;
  readonly stopLoss: string;
  readonly takeProfit: string;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
}

/** The fields of a draft that hold decimals. */
export type Field = "qty" | "price" | "triggerPrice" | "stopLoss" | "takeProfit";

/** What is wrong with a field, and values that would be right. */
export interface Fault {
  readonly text: string;
  readonly instead?: readonly Decimal[];
}

export type Faults = Partial<Record<Field, Fault>>;

export const emptyDraft: Draft = {
  side: "buy", type: "limit", timeInForce: "gtc", qty: "", price: "", triggerPrice: "", stopLoss: "", takeProfit: "", reduceOnly: false, postOnly: false,
};

/** hasPrice reports whether orders of a type have a limit price. */
export function hasPrice(type: Draft["type"]): boolean {
  return type === "limit" || type === "stop_limit";
}

/** hasTrigger reports whether orders of a type have a trigger price. */
export function hasTrigger(type: Draft["type"]): boolean {
  return type === "stop_market" || type === "stop_limit";
}

/** fieldsOf returns the fields that a draft uses, and which of them must be filled in. */
export function fieldsOf(draft: Draft): ReadonlyMap<Field, {readonly required: boolean}> {
  const fields = new Map<Field, {required: boolean}>();
  if (hasTrigger(draft.type)) fields.set("triggerPrice", {required: true});
  if (hasPrice(draft.type)) fields.set("price", {required: true});
  fields.set("qty", {required: true});
  if (!draft.reduceOnly) for (const name of ["stopLoss", "takeProfit"] as const) fields.set(name, {required: false});
  return fields;
}

/** faultsOf returns what is wrong with the fields that are filled in. The service checks the order again. */
export function faultsOf(draft: Draft, instrument: Instrument): Faults {
  const faults: Faults = {};
  for (const name of fieldsOf(draft).keys()) {
    const fault = draft[name] === "" ? undefined : formFault(draft[name]) ?? (name === "qty" ? qtyFault(draft, instrument) : priceFault(draft, name, instrument));
    if (fault) faults[name] = fault;
  }
  return faults;
}

/** isComplete reports whether every field that must be filled in is. */
export function isComplete(draft: Draft): boolean {
  return [...fieldsOf(draft)].every(([name, {required}]) => !required || draft[name].trim() !== "");
}

/** requestOf returns the body of the order, whose fields have no faults. */
export function requestOf(draft: Draft, {exchange, symbol}: Instrument): OrderRequest {
  const filled = [...fieldsOf(draft).keys()].map((name) => [name, draft[name].trim()] as const).filter(([, value]) => value !== "");
  return {
    exchange, symbol, side: draft.side, type: draft.type, ...Object.fromEntries(filled) as {qty: string},
    ...(draft.reduceOnly && {reduceOnly: true}),
    ...(hasPrice(draft.type) && {timeInForce: draft.timeInForce}),
    ...(mayPostOnly(draft) && draft.postOnly && {postOnly: true}),
  };
}

/** mayPostOnly reports whether the order can be one that must not take liquidity. */
export function mayPostOnly({type, timeInForce}: Draft): boolean {
  return hasPrice(type) && timeInForce === "gtc";
}

// entryOf returns the price by which the value and the protection of the order are judged; that of a market order is not known here, and empty.
function entryOf({type, price, triggerPrice}: Draft): string {
  if (hasPrice(type)) return price.trim();
  return hasTrigger(type) ? triggerPrice.trim() : "";
}

function formFault(text: string): Fault | undefined {
  const {fault} = typed(text);
  return fault === undefined ? undefined : {text: fault};
}

function qtyFault(draft: Draft, {qtyStep, minQty, maxQty, maxMarketQty, minNotional, baseCurrency, quoteCurrency}: Instrument): Fault | undefined {
  const qty = draft.qty.trim();
  const most = hasPrice(draft.type) ? maxQty : maxMarketQty;
  if (compare(qty, minQty) < 0) return {text: `At least ${shown(minQty)} ${baseCurrency}.`, instead: [minQty]};
  if (most !== null && compare(qty, most) > 0) return {text: `At most ${shown(most)} ${baseCurrency}.`, instead: [most]};
  const steps = nearest(qty, qtyStep);
  if (steps) return {text: `Not a multiple of ${shown(qtyStep)}.`, instead: steps};
  const price = entryOf(draft);
  if (minNotional === null || draft.reduceOnly || typed(price).fault) return undefined;
  if (compare(product(qty, price) ?? minNotional, minNotional) >= 0) return undefined;
  return {text: `Worth at least ${shown(minNotional)} ${quoteCurrency}.`, instead: [leastFor(minNotional, price, qtyStep)]};
}

function priceFault(draft: Draft, name: Field, {tickSize}: Instrument): Fault | undefined {
  const value = draft[name].trim();
  const ticks = nearest(value, tickSize);
  if (ticks) return {text: `Not a multiple of ${shown(tickSize)}.`, instead: ticks};
  const entry = entryOf(draft);
  if ((name !== "stopLoss" && name !== "takeProfit") || typed(entry).fault) return undefined;
  const below = (name === "stopLoss") === (draft.side === "buy");
  if (compare(value, entry) === (below ? -1 : 1)) return undefined;
  return {text: `${below ? "Below" : "Above"} ${shown(entry)}, to ${draft.side}.`};
}
