import {Button} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {useEffect, useEffectEvent, useState} from "react";
import {call} from "../../api/client";
import type {Delivery, Endpoint, Page} from "../../api/types";
import {pollWhileVisible} from "../../app/session";
import {keyOf, resendSelected, resendUndelivered} from "../../outbound/resend";
import {Confirm, type Act} from "../../ui/Confirm";
import {local} from "../../ui/Time";
import styles from "./Deliveries.module.css";

const COUNTED_MAX = 100;

interface Props {
  readonly selected: readonly string[];
  readonly endpoints: readonly Endpoint[];
  readonly chosen: Readonly<Record<string, string>>;
  readonly done: () => Promise<void>;
}

/** What receivers are told apart by. */
export const SAME_ID = "The ids of the events stay the same: receivers discard by them what they have handled already.";

/** Resend has the buttons that deliver again: the selection, or all that is undelivered since the moment of the filter. */
export function Resend({selected, endpoints, chosen, done}: Props) {
  const [act, setAct] = useState<Act>();
  const since = chosen.from ?? "";
  const to = endpoints.filter(({id}) => (chosen.endpoint ?? id) === id);
  const where = {...(chosen.endpoint && {endpoint: chosen.endpoint}), ...(since && {from: since})};
  const undelivered = useQuery({
    queryKey: ["deliveries", "undelivered", where], refetchInterval: pollWhileVisible,
    queryFn: () => call<Page<Delivery>>("GET", `deliveries?${new URLSearchParams({...where, status: "undelivered", limit: `${COUNTED_MAX}`}).toString()}`),
  }).data;
  // Only what lies at an endpoint that still exists can be resent.
  const waiting = undelivered?.items.filter((d) => to.some(({id}) => id === d.endpoint)) ?? [];
  const count = `${waiting.length}${undelivered?.nextCursor ? "+" : ""}`;
  const some = () => setAct({
    title: `Resend ${selected.length}`, button: `Resend ${selected.length}`, consequence: `${events(`${selected.length}`)} delivered again. ${SAME_ID}`,
    run: async () => {
      await resendSelected(selected);
      await done();
    },
  });
  const all = () => setAct({
    title: "Resend all undelivered", button: `Resend ${count}`,
    consequence: `${events(count)} delivered again${since && `, all that were queued since ${local(new Date(since))}`}; the other filters do not matter. ${SAME_ID}`,
    run: async () => {
      const ids = new Set(waiting.map(({endpoint}) => endpoint));
      await resendUndelivered(undelivered?.nextCursor ? to : to.filter(({id}) => ids.has(id)), since);
      await done();
    },
  });
  useKey("r", () => {
    if (selected.length > 0 && !act) some();
  });
  return (
    <div className={styles.bar}>
      <Button size="xs" variant="default" disabled={selected.length === 0} onClick={some}>{selected.length > 0 ? `Resend ${selected.length}` : "Resend the selection"}</Button>
      <Button size="xs" variant="default" disabled={waiting.length === 0 && !undelivered?.nextCursor} onClick={all}>
        Resend all undelivered{since && ` since ${local(new Date(since)).slice(0, -3)}`} ({count})
      </Button>
      <Confirm act={act} close={() => setAct(undefined)}/>
    </div>
  );
}

function events(count: string): string {
  return count === "1" ? "1 event is" : `${count} events are`;
}

// useKey runs act when a key is pressed alone, outside of fields and dialogs.
function useKey(key: string, act: () => void) {
  const pressed = useEffectEvent(act);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const field = event.target instanceof HTMLElement && event.target.closest("input:not([type=checkbox]), select, textarea, [role=dialog]");
      if (event.key === key && !event.ctrlKey && !event.metaKey && !event.altKey && !field) pressed();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [key]);
}

/** one returns the act that delivers one event again. */
export function one(delivery: Delivery, done: () => Promise<void>): Act {
  return {
    title: `Resend ${delivery.type}`, button: "Resend", consequence: `1 event is delivered again. ${SAME_ID}`,
    run: async () => {
      await resendSelected([keyOf(delivery)]);
      await done();
    },
  };
}
