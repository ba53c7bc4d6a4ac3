import {useState} from "react";
import {trading} from "../api/trading";
import type {Order} from "../api/types";
import {useReadAnew} from "../app/reading";
import {Confirm, type Act} from "../ui/Confirm";
import {copyId} from "../ui/announce";
import {Change} from "./Change";
import {isChangeable, isOpen, nameOf} from "./words";

/** useOrderActs returns functions that ask before an order is cancelled or changed, and the dialogs that ask. */
export function useOrderActs(replaced?: (by: Order) => void) {
  const readAnew = useReadAnew();
  const [act, setAct] = useState<Act>();
  const [changing, setChanging] = useState<Order>();
  const cancel = (order: Order) => setAct({
    title: "Cancel this order", button: "Cancel the order",
    consequence: `Cancels ${nameOf(order)}. What is filled stays filled.`,
    run: () => trading<Order>("DELETE", `orders/${order.orderId}`).finally(() => void readAnew()),
  });
  const changed = (order: Order) => {
    if (order.orderId !== changing?.orderId) replaced?.(order);
    setChanging(undefined);
  };
  const dialogs = <>
    <Confirm act={act} close={() => setAct(undefined)}/>
    <Change order={changing} close={() => setChanging(undefined)} changed={changed}/>
  </>;
  return {cancel, change: setChanging, dialogs, keys: keysOf(cancel, setChanging)};
}

// keysOf returns what keys do with an order of a list: x cancels, e changes, c copies its id.
function keysOf(cancel: (order: Order) => void, change: (order: Order) => void): Readonly<Record<"x" | "e" | "c", (order: Order) => void>> {
  return {
    x: (order) => {
      if (isOpen(order)) cancel(order);
    },
    e: (order) => {
      if (isChangeable(order)) change(order);
    },
    c: (order) => void copyId(order.orderId),
  };
}
