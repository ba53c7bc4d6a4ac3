import {useQuery} from "@tanstack/react-query";
import {useEffect, useState} from "react";
import {CallError, isOutcomeUnknown} from "../api/client";
import {newRequestId, query, trading} from "../api/trading";
import type {Items, Order} from "../api/types";
import {useReadAnew} from "../app/reading";
import {useSubmit} from "../ui/form";

const LOOK_MILLISECONDS = 2_000;

// The request ids of orders whose outcome was not received, by what they were for.
const lostIds = new Map<string, string>();

/**
 * useTicket sends one order at most once. Its request id is made with the dialog that it is used
 * in; if no response comes, the order is looked up by that id and never sent again. A dialog that
 * is opened for the same before its outcome is known has the same id.
 */
export function useTicket(what: string, send: (requestId: string) => Promise<Order>) {
  const [requestId] = useState(() => lostIds.get(what) ?? newRequestId());
  const [answered, setAnswered] = useState<Order>();
  const readAnew = useReadAnew();
  const {busy, failure, submit} = useSubmit(async () => {
    try {
      setAnswered(await send(requestId));
      lostIds.delete(what);
    } catch (thrown) {
      if (isOutcomeUnknown(thrown)) lostIds.set(what, requestId);
      else lostIds.delete(what);
      if (!(thrown instanceof CallError) || thrown.code !== "duplicate_request" || !thrown.order) throw thrown;
      setAnswered(thrown.order);
    } finally {
      void readAnew();
    }
  });
  const lost = isOutcomeUnknown(failure);
  const found = useQuery({
    queryKey: ["v1", "ticket", requestId, answered?.status], enabled: lost || (answered !== undefined && !isSettled(answered)),
    queryFn: () => trading<Items<Order>>("GET", `orders${query({requestId, status: "all"})}`),
    refetchInterval: ({state}) => !(state.data?.items[0] && isSettled(state.data.items[0])) && LOOK_MILLISECONDS,
  });
  const order = found.data?.items[0] ?? answered;
  useEffect(() => {
    if (order) lostIds.delete(what);
  }, [order, what]);
  return {busy, failure: order || lost ? undefined : failure, submit, order, lost: lost && !order, requestId};
}

function isSettled({status}: Order): boolean {
  return status !== "pending" && status !== "unknown";
}
