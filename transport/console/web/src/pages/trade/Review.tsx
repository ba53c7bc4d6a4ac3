import {Button} from "@mantine/core";
import {useState} from "react";
import type {OrderRequest} from "../../api/types";
import {shown} from "../../money/format";
import {Confirm, type Act} from "../../ui/Confirm";
import {summaryOf} from "./words";
import styles from "./Ticket.module.css";

export type Request = OrderRequest & {readonly requestId: string};

interface Props {
  readonly request: Request;
  readonly act: string;
  readonly hasBook: boolean;
  /** Whether the outcome of another order of the instrument is not known. */
  readonly hasUnknown: boolean;
  readonly back: () => void;
  readonly place: (request: Request) => void;
}

/** Review shows an order before it is placed. */
export function Review({request, act, hasBook, hasUnknown, back, place}: Props) {
  const {side, stopLoss, takeProfit, timeInForce, reduceOnly, postOnly} = request;
  const isBlind = !hasBook && (request.type === "market" || request.type === "stop_market");
  const [asked, setAsked] = useState<Act>();
  const askOnce = () => setAsked({
    title: "Place it without a current book?", button: act, run: () => Promise.resolve(place(request)),
    consequence: `${summaryOf(request)} on ${request.exchange}: the order book is not current, so that the price at which it will be filled cannot be seen.`,
  });
  const more = [timeInForce, reduceOnly && "reduce only", postOnly && "post only", stopLoss && `stop loss ${shown(stopLoss)}`, takeProfit && `take profit ${shown(takeProfit)}`].filter(Boolean);
  return (
    <div className={styles.review} role="group" aria-label="Review of the order">
      <p><strong>{summaryOf(request)}</strong> on {request.exchange}{more.length > 0 && `, ${more.join(", ")}`}.</p>
      {isBlind && <p className={styles.warning}>The order book is not current: at which price it will be filled cannot be seen.</p>}
      {hasUnknown && <p className={styles.warning}>It is not known yet what has become of another order in {request.symbol}.</p>}
      <Button fullWidth className={styles.act} data-side={side} autoFocus onClick={() => isBlind ? askOnce() : place(request)}>{act}</Button>
      <Button fullWidth variant="default" onClick={back}>Back</Button>
      <Confirm act={asked} close={() => setAsked(undefined)}/>
    </div>
  );
}
