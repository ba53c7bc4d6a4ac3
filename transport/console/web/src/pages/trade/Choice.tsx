import {NativeSelect, TextInput} from "@mantine/core";
import {useState} from "react";
import {useLocation} from "wouter";
import type {Instrument, Venue} from "../../api/types";
import {instrumentOf} from "./instruments";
import styles from "./Trade.module.css";

interface Props {
  readonly venues: readonly Venue[];
  readonly venue: Venue;
  readonly instruments: readonly Instrument[];
  readonly symbol: string;
}

/** Choice chooses the instrument and the venue, which are in the address of the page. */
export function Choice({venues, venue, instruments, symbol}: Props) {
  const [, navigate] = useLocation();
  const [text, setText] = useState(symbol);
  const unknown = text !== symbol && !instrumentOf(instruments, text);
  const type = (typed: string) => {
    setText(typed);
    const found = instrumentOf(instruments, typed);
    if (found && found.symbol !== symbol) navigate(`/trade/${venue.exchange}/${found.symbol}`);
  };
  return (
    <div className={styles.choice}>
      <TextInput aria-label="Instrument" list="instruments" value={text} onChange={(e) => type(e.currentTarget.value)} onFocus={(e) => e.currentTarget.select()}
        onBlur={() => setText(symbol)} spellCheck={false} autoComplete="off" error={unknown && text.length >= symbol.length} classNames={{input: "mono"}}/>
      <datalist id="instruments">{instruments.map((each) => <option key={each.symbol} value={each.symbol}/>)}</datalist>
      <NativeSelect aria-label="Venue" value={venue.exchange} onChange={(e) => navigate(`/trade/${e.currentTarget.value}/${symbol}`)}
        data={venues.map((each) => each.exchange)}/>
    </div>
  );
}
