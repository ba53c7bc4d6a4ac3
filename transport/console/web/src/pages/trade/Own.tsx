import {Button, SegmentedControl} from "@mantine/core";
import {useState} from "react";
import type {Fill, Instrument, Order, Page, Position} from "../../api/types";
import type {UseQueryResult} from "@tanstack/react-query";
import {mayTrade, useSession} from "../../app/session";
import type {Records} from "../../live/records";
import {usePositionActs} from "../../positions/act";
import {OpenOrders} from "./OpenOrders";
import {OwnFills} from "./OwnFills";
import {OwnPosition} from "./OwnPosition";
import {TrustMark} from "./TrustMark";
import styles from "./Market.module.css";

/** What a customer has in an instrument. */
export interface Own {
  readonly orders: readonly Order[];
  readonly positions: readonly Position[];
  readonly fills: UseQueryResult<Page<Fill>>;
}

interface Props {
  readonly instrument: Instrument;
  readonly own: Own;
  readonly orders: Records<Order> | undefined;
  readonly positions: Records<Position> | undefined;
}

type Tab = "orders" | "positions" | "fills";

/** OwnRecords shows the customer's orders, positions and fills of an instrument, one list at a time. */
export function OwnRecords({instrument, own, orders, positions}: Props) {
  const trades = mayTrade(useSession());
  const [tab, setTab] = useState<Tab>("orders");
  const acts = usePositionActs(instrument);
  const {exchange, symbol, maxLeverage} = instrument;
  const counted = (name: string, list: readonly unknown[]) => list.length > 0 ? `${name} ${list.length}` : name;
  return (
    <div className={styles.panel}>
      <header className={styles.head}>
        <SegmentedControl size="xs" aria-label="List" value={tab} onChange={setTab} data={[
          {value: "orders", label: counted("Orders", own.orders)}, {value: "positions", label: counted("Positions", own.positions)}, {value: "fills", label: "Fills"},
        ]}/>
        {tab !== "fills" && <TrustMark held={tab === "orders" ? orders : positions} what={tab === "orders" ? "Orders" : "Positions"}/>}
        {trades && <Button size="compact-sm" variant="default" onClick={() => acts.leverage({exchange, symbol, most: maxLeverage, position: own.positions[0]})}>Leverage</Button>}
      </header>
      {tab === "orders" && <OpenOrders instrument={instrument} held={orders} own={own.orders}/>}
      {tab === "positions" && <OwnPosition instrument={instrument} held={positions} own={own.positions} acts={acts}/>}
      {tab === "fills" && <OwnFills instrument={instrument} fills={own.fills}/>}
      {acts.dialogs}
    </div>
  );
}
