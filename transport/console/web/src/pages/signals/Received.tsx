import {Anchor} from "@mantine/core";
import {Link} from "wouter";
import type {SignalHistory} from "../../api/types";
import {pathOfOrder} from "../../app/paths";
import {OfOrder} from "../../latency/OfOrder";
import {Section} from "../../ui/Section";
import {State, type Tone} from "../../ui/State";
import {visible} from "../../ui/outside";
import styles from "./Signals.module.css";
import {Facts} from "./Timeline";
import {stepsOf, toneOf} from "./history";
import {stepText} from "../../app/text/signals";

const members = ["action", "exchange", "symbol", "side", "type", "qty", "price", "stopLoss", "takeProfit", "comment"] as const;

/** Received is what the signal says; members that are not known are marked. */
export function Received({history: {signal}}: {history: SignalHistory}) {
  const facts = [
    ...members.map((name) => ({name, value: signal[name] ?? ""})).filter(({value}) => value !== ""),
    {name: "requestId", value: signal.implied ? `${signal.requestId} (made here: the signal has none)` : signal.requestId},
    ...(signal.sentAt ? [{name: "time", value: signal.sentAt}] : []),
  ];
  return (
    <Section title="Signal as received">
      <div className={styles.now}>
        <div className={styles.body}><Facts facts={facts}/></div>
        {signal.ignored.length > 0 && <p>Not known, and ignored: {signal.ignored.map((name) => <code key={name} className={`outside ${styles.ignored ?? ""}`}>{visible(name)}</code>)}</p>}
        <p className="dim">The signature or the token, and the bytes of the body, are not kept.</p>
      </div>
    </Section>
  );
}

/** Plan is the plan as it was carried out, step by step, with what proves that the next one could begin. */
export function Plan({history}: {history: SignalHistory}) {
  const steps = stepsOf(history);
  if (steps.length === 0) return null;
  return (
    <Section title="Plan">
      <ol className={styles.plan} data-testid="plan">{steps.map(({step, results, order, proof}) => {
        const last = results.at(-1) ?? "";
        return (
          <li key={step}>
            {stepText[step] ?? step} <State tone={toneOf(last === "waiting" ? "waits" : last)}>{last === "begun" ? "under way" : last}</State>
            {order && <div><Anchor component={Link} href={pathOfOrder(order)} className={`mono ${styles.id ?? ""}`}>{order}</Anchor></div>}
            {proof && <p className="dim">{proof}</p>}
          </li>);
      })}</ol>
    </Section>
  );
}

const legTones: Readonly<Record<string, Tone>> = {live: "good", pending: "working", triggered: "plain", cancelled: "plain", failed: "bad"};

/** Orders are the orders of the signal with their protection. */
export function Orders({history: {orders, signal}}: {history: SignalHistory}) {
  if (orders.length === 0)
    return signal.orderIds.length === 0 ? null : <Section title="Orders"><p className="dim">They are in the archive: <span className="mono">{signal.orderIds.join(", ")}</span></p></Section>;
  return (
    <Section title="Orders">
      <ul className={styles.orders}>{orders.map((order) => (
        <li key={order.id}>
          <div>{order.protects ? `${order.protects.replace("_", " ")}: ` : ""}{order.side} <span className="mono">{order.qty}</span> {order.symbol} {order.type}{order.price && <> at <span className="mono">{order.price}</span></>} <State tone={toneOf(order.status)}>{order.status.replaceAll("_", " ")}</State></div>
          <div className="dim">filled <span className="mono">{order.filledQty}</span>{order.avgPrice && <> at <span className="mono">{order.avgPrice}</span></>}</div>
          {([["stop loss", order.stopLoss], ["take profit", order.takeProfit]] as const).map(([name, leg]) => leg && (
            <div key={name}>{name} <span className="mono">{leg.price}</span> <State tone={legTones[leg.status] ?? "plain"}>{leg.status}</State></div>))}
          {order.error && <div className="outside">{visible(order.error.message)}</div>}
          <Anchor component={Link} href={pathOfOrder(order.id)} className={`mono ${styles.id ?? ""}`}>{order.id}</Anchor>
          {!order.protects && <OfOrder id={order.id}/>}
        </li>))}</ul>
    </Section>
  );
}
