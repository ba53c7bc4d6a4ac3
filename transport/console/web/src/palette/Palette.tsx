import {Modal, TextInput} from "@mantine/core";
import {useQueries, useQuery} from "@tanstack/react-query";
import {useEffect, useId, useRef, useState, type KeyboardEvent} from "react";
import {trading} from "../api/trading";
import type {Items, Venue} from "../api/types";
import {pagesOf} from "../app/navigation";
import {useSession} from "../app/session";
import {instrumentsOf} from "../pages/trade/instruments";
import styles from "./Palette.module.css";
import {targetsOf, type Target} from "./targets";

const VENUES_FRESH_MILLISECONDS = 60_000;

interface Props {
  readonly close: () => void;
  readonly go: (path: string) => void;
}

/** Palette goes to a page, an instrument or a record that is typed. */
export default function Palette({close, go}: Props) {
  const mine = pagesOf(useSession());
  const {instruments, missing} = useAllInstruments(mine.some(({path}) => path === "/trade"));
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const targets = targetsOf(typed, mine, instruments);
  const at = Math.min(chosen, targets.length - 1);
  const press = (event: KeyboardEvent) => {
    const next = event.key === "Enter" ? at : stepped(event.key, at, targets.length);
    if (next === undefined || event.nativeEvent.isComposing) return;
    event.preventDefault();
    const target = targets[next];
    if (event.key !== "Enter") setChosen(next);
    else if (target) go(target.path);
  };
  return (
    <Modal opened onClose={close} title="Go to" size="lg" padding="sm" returnFocus={false}>
      <TextInput data-autofocus role="combobox" aria-label="Page, instrument or id" placeholder="Page, instrument or id" value={typed} maxLength={128} spellCheck={false} autoComplete="off"
        aria-expanded={targets.length > 0} aria-controls={targets.length > 0 ? id : undefined} aria-autocomplete="list" aria-activedescendant={targets.length > 0 ? `${id}${at}` : undefined}
        onChange={(e) => { setTyped(e.currentTarget.value); setChosen(0); }} onKeyDown={press}/>
      {targets.length > 0
        ? <ul role="listbox" id={id} aria-label="Matches" className={styles.list}>{targets.map((target, n) =>
            <Option key={target.path} id={`${id}${n}`} target={target} chosen={n === at} point={() => setChosen(n)} take={() => go(target.path)}/>)}</ul>
        : <p className={styles.none}>Nothing matches. An id is pasted whole, such as ord_… or sig_….</p>}
      <p role="status" className="dim">{missing.length > 0 && `The instruments of ${missing.join(", ")} could not be read.`}</p>
    </Modal>
  );
}

// stepped returns the match that a key moves to; undefined if the key moves to none.
function stepped(key: string, at: number, length: number): number | undefined {
  if (length === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % length;
  return key === "ArrowUp" ? (at + length - 1) % length : undefined;
}

interface OptionProps {
  readonly id: string;
  readonly target: Target;
  readonly chosen: boolean;
  readonly point: () => void;
  readonly take: () => void;
}

function Option({id, target, chosen, point, take}: OptionProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (chosen) item.current?.scrollIntoView({block: "nearest"});
  }, [chosen]);
  return (
    <li ref={item} id={id} role="option" aria-selected={chosen} onPointerMove={() => chosen || point()} onPointerDown={(e) => e.preventDefault()} onClick={take}>
      <span className="outside">{target.title}</span><span className={styles.about}>{target.about}</span>
      {target.keys && <kbd aria-hidden>{target.keys}</kbd>}
    </li>
  );
}

// useAllInstruments reads the instruments of all venues, and names the venues whose are missing.
function useAllInstruments(wanted: boolean) {
  const venues = useQuery({queryKey: ["venues"], queryFn: () => trading<Items<Venue>>("GET", "venues"), enabled: wanted, staleTime: VENUES_FRESH_MILLISECONDS});
  const exchanges = venues.data?.items.map(({exchange}) => exchange) ?? [];
  const all = useQueries({queries: exchanges.map(instrumentsOf)});
  return {instruments: all.flatMap(({data}) => data ?? []), missing: exchanges.filter((_, n) => all[n]?.isError)};
}
