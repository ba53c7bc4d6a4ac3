import type {Order} from "../../api/types";
import type {Records} from "../../live/records";
import {Status} from "../../orders/Status";
import {Failure} from "../../ui/Panel";
import {Time} from "../../ui/Time";
import {Amount} from "../../ui/Amount";
import type {Outcome, Placement} from "./placement";
import {summaryOf} from "./words";
import styles from "./Ticket.module.css";

interface Props {
  readonly placement: Placement;
  readonly outcome: Outcome;
  readonly orders: Records<Order> | undefined;
}

/** OutcomeOf shows what has become of an order that was placed. */
export function OutcomeOf({placement, outcome, orders}: Props) {
  return <div className={styles.outcome} role="status" data-outcome={outcome.state}>{contentOf(placement, outcome, orders)}</div>;
}

function contentOf(placement: Placement, outcome: Outcome, orders: Records<Order> | undefined) {
  const {requestId} = placement.request;
  switch (outcome.state) {
    case "sending": return <p>Sending {summaryOf(placement.request)} …</p>;
    case "placed": return <Placed order={newestOf(outcome.order, orders)}/>;
    case "refused": return <><p>Not placed: {summaryOf(placement.request)}.</p><Failure error={outcome.failure}/></>;
    case "absent": return <p>Not placed: the service has no order with the requestId <span className="mono outside">{requestId}</span>.</p>;
    case "unknown": return (
      <div className={styles.unknown}>
        <p><strong>Outcome not received</strong> since <Time at={new Date(outcome.since).toISOString()}/>.</p>
        <p>{summaryOf(placement.request)} is looked up by its requestId <span className="mono outside">{requestId}</span>. It is not sent again.</p>
      </div>
    );
  }
}

function Placed({order}: {order: Order}) {
  return (
    <>
      <p>{summaryOf(order)}: <Status order={order}/>{order.status === "unknown" && <> since <Time at={order.updatedAt}/></>}</p>
      {order.filledQty !== "0" && <p>Filled <Amount value={order.filledQty}/> at <Amount value={order.avgPrice}/>, fee <Amount value={order.fee} unit={order.feeCurrency}/>.</p>}
      {order.error && <p className="outside">{order.error.message}{order.error.venueMessage && order.error.venueMessage !== order.error.message && ` The venue: ${order.error.venueCode ?? ""} ${order.error.venueMessage}`}</p>}
      <p className="mono dim outside">{order.orderId}</p>
    </>
  );
}

// The stream is ahead of the answer, except for an order that it has not reported yet.
function newestOf(order: Order, orders: Records<Order> | undefined): Order {
  const reported = orders?.find((each) => each.orderId === order.orderId);
  return reported && (reported.updatedAt ?? "") >= (order.updatedAt ?? "") ? reported : order;
}
