import {Button, Checkbox, Group, NativeSelect, TextInput} from "@mantine/core";
import {useState} from "react";
import {call, faultOf, isOutcomeUnknown} from "../../api/client";
import type {Alert, Exchange, Instrument} from "../../api/types";
import {useSession} from "../../app/session";
import {typed} from "../../money/format";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {instrumentOf, useInstruments} from "../trade/instruments";
import styles from "./Alerts.module.css";
import {Price, useTicker} from "./Price";
import {fields, holds, operators, type Condition} from "./words";

const COMMENT_CHARACTERS = 256;

/** NewAlert is the form that makes a price alert, with the current price beside it. */
export function NewAlert({created}: {created: () => Promise<void>}) {
  const {customer, environments} = useSession();
  const venues = Object.keys(environments).sort() as Exchange[];
  const [exchange, setExchange] = useState<Exchange>(venues[0] ?? "binance");
  const [symbol, setSymbol] = useState("BTCUSDT");
  const [field, setField] = useState<Condition["field"]>("last");
  const [op, setOp] = useState<Condition["op"]>("crosses_above");
  const [value, setValue] = useState("");
  const [repeat, setRepeat] = useState(false);
  const [comment, setComment] = useState("");
  const instruments = useInstruments(exchange);
  const instrument = instrumentOf(instruments.data, symbol);
  const price = typed(value);
  const {busy, failure, submit} = useSubmit(async () => {
    await call<Alert>("POST", "alerts", {customer, exchange, symbol: instrument?.symbol, condition: {field, op, value: price.value}, repeat, comment: comment.trim()});
    setValue("");
    setComment("");
    await created();
  });
  const unknown = instruments.data && !instrument && symbol.trim() !== "";
  return (
    <form onSubmit={submit} className={styles.form}>
      <div className={styles.fields}>
        <NativeSelect label="Venue" data={venues} value={exchange} onChange={(e) => setExchange(e.currentTarget.value as Exchange)}/>
        <TextInput label="Instrument" list="alert-instruments" required value={symbol} onChange={(e) => setSymbol(e.currentTarget.value)} spellCheck={false} autoComplete="off"
          classNames={{input: "mono"}} error={(unknown && `Not an instrument of ${exchange}.`) || faultOf(failure, "symbol")}/>
        <datalist id="alert-instruments">{instruments.data?.map((each) => <option key={each.symbol} value={each.symbol}/>)}</datalist>
        <NativeSelect label="Price" data={Object.entries(fields).map(([value, label]) => ({value, label}))} value={field} onChange={(e) => setField(e.currentTarget.value as Condition["field"])}/>
        <NativeSelect label="Fires when it" data={Object.entries(operators).map(([value, {label}]) => ({value, label}))} value={op} onChange={(e) => setOp(e.currentTarget.value as Condition["op"])}/>
        <TextInput label="Value" required inputMode="decimal" maxLength={40} classNames={{input: "mono"}} value={value} onChange={(e) => setValue(e.currentTarget.value)}
          error={(value !== "" && price.fault) || faultOf(failure, "condition.value")}/>
        <TextInput label="Comment" description="It is part of the message." maxLength={COMMENT_CHARACTERS} value={comment} onChange={(e) => setComment(e.currentTarget.value)} error={faultOf(failure, "comment")} className={styles.wide ?? ""}/>
        <Checkbox label="Fire each time" description="At most once a minute, after the price was on the other side." checked={repeat} onChange={(e) => setRepeat(e.currentTarget.checked)} className={styles.wide ?? ""}/>
      </div>
      {instrument && <Price key={`${exchange} ${instrument.symbol}`} exchange={exchange} symbol={instrument.symbol}/>}
      <div className={styles.foot}>
        {failure && <Failure error={failure}/>}
        <Group justify="space-between"><div>{instrument && price.value && <Already instrument={instrument} condition={{field, op, value: price.value}}/>}</div><Button type="submit" loading={busy} disabled={!instrument || !price.value || isOutcomeUnknown(failure)}>Make the alert</Button></Group>
      </div>
    </form>
  );
}

// Already warns of a condition that holds before the alert is made.
function Already({instrument: {exchange, symbol}, condition}: {instrument: Instrument; condition: Condition}) {
  const found = useTicker(exchange, symbol).data?.items[0];
  const now = condition.field === "mark" ? found?.mark : found?.last;
  if (!now || !holds(condition, now)) return null;
  return <p role="status" className={styles.already}>The {fields[condition.field]} is {operators[condition.op].words} that now: the alert fires at once.</p>;
}
