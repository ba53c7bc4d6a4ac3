import {useEffect, useRef} from "react";
import {Link} from "wouter";
import type {Order} from "../api/types";
import {useOrders} from "../live/use";
import {nameOf, plain} from "../orders/words";
import {announce} from "../ui/announce";
import styles from "./Shell.module.css";
import {pathOfOrder} from "./paths";

/** OwnOrders counts the customer's orders whose outcome is unknown, and has changes of the status of orders read aloud. */
export function OwnOrders() {
  const orders = useOrders();
  const before = useRef<ReadonlyMap<string, Order["status"]>>(undefined);
  useEffect(() => {
    if (orders?.trust.state !== "live") return;
    const all = orders.all();
    const changed = before.current && all.filter(({orderId, status}) => before.current?.get(orderId) !== status);
    if (changed && changed.length > 0) announce(changed.map((order) => `${nameOf(order)}: ${plain(order.status)}`).join("; "), false);
    before.current = new Map(all.map(({orderId, status}) => [orderId, status]));
  });
  const unknown = orders?.list().filter(({status}) => status === "unknown") ?? [];
  const [first] = unknown;
  if (!first) return null;
  return <Link className={styles.unknown ?? ""} href={unknown.length === 1 ? pathOfOrder(first.orderId) : "/orders"} title="Orders whose outcome the venue has not proven">◆ {unknown.length}<span> unknown</span></Link>;
}
