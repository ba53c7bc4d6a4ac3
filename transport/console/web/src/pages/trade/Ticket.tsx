import {Button, Checkbox, NativeSelect, SegmentedControl, TextInput} from "@mantine/core";
import {useRef, useState, type FormEvent, type ReactNode, type Ref} from "react";
import {newRequestId} from "../../api/trading";
import type {Instrument, Order, Position} from "../../api/types";
import {useSession} from "../../app/session";
import type {Records} from "../../live/records";
import {plain} from "../../orders/words";
import {Check} from "./Check";
import {OutcomeOf} from "./OutcomeOf";
import {Percent} from "./Percent";
import {Review, type Request} from "./Review";
import {faultsOf, fieldsOf, hasPrice, isComplete, mayPostOnly, requestOf, type Draft, type Fault, type Field} from "./draft";
import {usePlacement} from "./placements";
import market from "./Market.module.css";
import styles from "./Ticket.module.css";

interface Props {
  readonly instrument: Instrument;
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly orders: Records<Order> | undefined;
  /** Whether the order book is known and current. */
  readonly hasBook: boolean;
  /** Whether the book was current and is not now. */
  readonly isStale: boolean;
  readonly positions: readonly Position[];
  /** Whether the venue does not respond: then nothing can be placed. */
  readonly isDown: boolean;
}

const labels: Readonly<Record<Field, string>> = {qty: "Quantity", price: "Price", triggerPrice: "Trigger price", stopLoss: "Stop loss", takeProfit: "Take profit"};
const types = (["limit", "market", "stop_limit", "stop_market"] satisfies Draft["type"][]).map((value) => ({value, label: plain(value)}));

/** Ticket places orders. It checks an order while it is typed, shows it once more, and sends it once. */
export function Ticket({instrument, draft, change, orders, hasBook, isStale, positions, isDown}: Props) {
  const environment = useSession().environments[instrument.exchange] ?? "";
  const {placement, outcome, place, clear} = usePlacement(instrument);
  const [review, setReview] = useState<{readonly draft: Draft; readonly request: Request}>();
  const first = useRef<HTMLInputElement>(null);
  const faults = faultsOf(draft, instrument);
  const isLocked = isDown || (placement?.isOpen ?? false);
  const isReady = isComplete(draft) && Object.keys(faults).length === 0;
  const isPriced = isComplete({...draft, qty: instrument.minQty}) && Object.keys(faultsOf({...draft, qty: ""}, instrument)).length === 0;
  const act = `${draft.side === "buy" ? "Buy" : "Sell"} ${draft.qty.trim()} ${instrument.baseCurrency} · ${environment}`;
  const reviewed = review?.draft === draft ? review.request : undefined; // not after another price was taken from the book
  const hasUnknown = orders?.list().some((order) => order.status === "unknown" && order.exchange === instrument.exchange && order.symbol === instrument.symbol);
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isLocked) return;
    clear();
    // The requestId belongs to this intent: what has become of it is found by it.
    setReview({draft, request: {...requestOf(draft, instrument), requestId: newRequestId()}});
  };
  const back = () => {
    setReview(undefined);
    first.current?.focus();
  };
  return (
    <section className={market.panel} aria-label="Order ticket">
      <header className={market.head}><h2>Order</h2></header>
      <form className={styles.form} onSubmit={open} noValidate>
        <fieldset className={styles.fields} disabled={reviewed !== undefined || isLocked}>
          <SegmentedControl fullWidth value={draft.side} onChange={(side) => change({side})} data-side={draft.side} aria-label="Side" disabled={reviewed !== undefined || isLocked}
            aria-keyshortcuts="b s" data={[{value: "buy", label: "Buy"}, {value: "sell", label: "Sell"}]} classNames={{root: styles.side}}/>
          <div className={styles.pair}>
            <NativeSelect aria-label="Type" data={types} value={draft.type} onChange={(e) => change({type: e.currentTarget.value as Draft["type"]})}/>
            {hasPrice(draft.type) && <NativeSelect aria-label="Time in force" data={["gtc", "ioc", "fok"]} value={draft.timeInForce} onChange={(e) => change({timeInForce: e.currentTarget.value as Draft["timeInForce"]})}/>}
          </div>
          {[...fieldsOf(draft)].map(([name, {required}], at) => (
            <Amounts key={name} name={name} required={required} value={draft[name]} fault={faults[name]} input={at === 0 ? first : undefined} unit={name === "qty" ? instrument.baseCurrency : instrument.quoteCurrency} change={change}>
              {name === "qty" && <Percent draft={draft} instrument={instrument} positions={positions} isReady={isPriced} take={(qty) => change({qty})}/>}
            </Amounts>
          ))}
          <div className={styles.pair}>
            <Checkbox label="Reduce only" checked={draft.reduceOnly} onChange={(e) => change({reduceOnly: e.currentTarget.checked})}/>
            {mayPostOnly(draft) && <Checkbox label="Post only" checked={draft.postOnly} onChange={(e) => change({postOnly: e.currentTarget.checked})}/>}
          </div>
        </fieldset>
        {isDown && <p className={styles.warning}>{instrument.exchange} does not respond: nothing can be placed. Cancelling goes on.</p>}
        {isStale && !isDown && <p className={styles.warning}>The order book is not current. {hasPrice(draft.type) ? "The limit of the order holds." : "At which price it will be filled cannot be seen."}</p>}
        {!isLocked && <Check request={isReady ? requestOf(draft, instrument) : undefined} instrument={instrument}/>}
        {!reviewed && <Button type="submit" fullWidth className={`${styles.act} ${styles.submit}`} data-side={draft.side} disabled={!isReady || isLocked}>{isReady ? act : "Fill in the order"}</Button>}
      </form>
      {reviewed && <Review request={reviewed} act={act} hasBook={hasBook} hasUnknown={hasUnknown ?? false} back={back} place={(request) => {
        place(request);
        setReview(undefined);
      }}/>}
      {placement && outcome && <OutcomeOf placement={placement} outcome={outcome} orders={orders}/>}
    </section>
  );
}

interface AmountsProps {
  readonly name: Field;
  readonly required: boolean;
  readonly value: string;
  readonly fault: Fault | undefined;
  readonly unit: string;
  readonly input: Ref<HTMLInputElement> | undefined;
  readonly change: (part: Partial<Draft>) => void;
  readonly children?: ReactNode;
}

// Amounts is a field for a decimal, and the values that would be right in its place.
function Amounts({name, required, value, fault, unit, input, change, children}: AmountsProps) {
  return (
    <div>
      <TextInput ref={input} name={name} label={required ? labels[name] : `${labels[name]} (optional)`} inputMode="decimal" autoComplete="off" maxLength={40} rightSection={<span className={styles.unit}>{unit}</span>} rightSectionWidth={58}
        value={value} onChange={(e) => change({[name]: e.currentTarget.value})} error={fault?.text} classNames={{input: "mono"}}/>
      {fault?.instead && <p className={styles.instead}>Nearest: {fault.instead.map((each) => (
        <Button key={each} size="compact-xs" variant="default" onClick={() => change({[name]: each})}>{each}</Button>
      ))}</p>}
      {children}
    </div>
  );
}
