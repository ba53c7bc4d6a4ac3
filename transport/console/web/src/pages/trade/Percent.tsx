import {Button} from "@mantine/core";
import {useState} from "react";
import {trading} from "../../api/trading";
import type {Instrument, OrderCheck, Position} from "../../api/types";
import {signOf} from "../../money/decimal";
import {shown} from "../../money/format";
import {mostFor} from "../../money/steps";
import {closingSide} from "../../positions/words";
import {requestOf, type Draft} from "./draft";
import styles from "./Ticket.module.css";

const PERCENTS = [10, 25, 50, 100];

interface Props {
  readonly draft: Draft;
  readonly instrument: Instrument;
  readonly positions: readonly Position[];
  /** Whether everything but the quantity is filled in and right. */
  readonly isReady: boolean;
  readonly take: (qty: string) => void;
}

/**
 * Percent fills in the quantity: of an order that reduces, as a part of the position; else so
 * that the order is worth that part of the available balance, both as the check of the service
 * has them.
 */
export function Percent({draft, instrument, positions, isReady, take}: Props) {
  const [fault, setFault] = useState<string>();
  const reduced = positions.find((position) => closingSide(position) === draft.side);
  const use = async (percent: number) => {
    setFault(undefined);
    try {
      const qty = draft.reduceOnly ? reduced && mostFor(reduced.qty, percent, "1", instrument.qtyStep) : await affordable(draft, instrument, percent);
      if (qty === undefined) setFault(draft.reduceOnly ? "There is no position to reduce." : "The available balance or the price is not known.");
      else if (signOf(qty) === 0) setFault(`${percent} % is less than one step of ${shown(instrument.qtyStep)} ${instrument.baseCurrency}.`);
      else take(qty);
    } catch (thrown) {
      setFault(`Not computed: ${(thrown as Error).message}`);
    }
  };
  return (
    <div className={styles.percent} role="group" aria-label={draft.reduceOnly ? "Part of the position" : "Part of the available balance"}>
      {PERCENTS.map((percent) => <Button key={percent} size="compact-xs" variant="default" disabled={!isReady && !draft.reduceOnly} onClick={() => void use(percent)}>{percent} %</Button>)}
      <span>{draft.reduceOnly ? "of the position" : "of available, without leverage"}</span>
      {fault && <p role="alert" className={styles.warning}>{fault}</p>}
    </div>
  );
}

// affordable returns the quantity that is worth so many percent of the available balance,
// undefined if the service does not have the balance or the price.
async function affordable(draft: Draft, instrument: Instrument, percent: number) {
  const request = requestOf({...draft, qty: instrument.minQty, stopLoss: "", takeProfit: ""}, instrument);
  const {available, notional} = await trading<OrderCheck>("POST", "orders/check", request);
  if (available === null || notional === null || signOf(notional) <= 0) return undefined;
  return signOf(available) <= 0 ? "0" : mostFor(available, percent, notional, instrument.qtyStep, instrument.minQty);
}
