import {useState, useSyncExternalStore} from "react";
import {query, trading} from "../../api/trading";
import type {Instrument, Items, Order, OrderRequest} from "../../api/types";
import {Placement, type Outcome, type Ports} from "./placement";

const ports: Ports = {
  place: (request) => trading<Order>("POST", "orders", request),
  find: (requestId) => trading<Items<Order>>("GET", `orders${query({requestId, status: "all"})}`),
};

// What was placed last in each instrument: it is still followed when the page was left meanwhile.
const last = new Map<string, Placement>();

const never = () => () => undefined;
const none = (): Outcome | undefined => undefined;

/** usePlacement returns what was placed last in an instrument, and the function that places the next order unless the outcome of the last is open. */
export function usePlacement({exchange, symbol}: Instrument) {
  const name = `${exchange} ${symbol}`;
  const [placement, setPlacement] = useState(() => last.get(name));
  const outcome = useSyncExternalStore(placement?.watch ?? never, placement?.outcome ?? none);
  const place = (request: OrderRequest & {readonly requestId: string}) => {
    if (last.get(name)?.isOpen) return;
    const placed = new Placement(request, ports);
    last.set(name, placed);
    setPlacement(placed);
  };
  const clear = () => {
    if (outcome?.state !== "placed" && !last.get(name)?.isOpen) {
      last.delete(name);
      setPlacement(undefined);
    }
  };
  return {placement, outcome, place, clear};
}
