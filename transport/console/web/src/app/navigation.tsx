import {IconArrowsExchange, IconBolt, IconChartCandle, IconHome, IconKey, IconListDetails, IconNotebook, IconReceipt2, IconSend, IconSettings, IconStack2, IconUsers, IconWebhook, IconWorldUpload, type Icon} from "@tabler/icons-react";
import {lazy, type ComponentType} from "react";
import type {Session} from "../api/types";
import {mayChange} from "./session";

/** A page of the console: one folder of src/pages. */
export interface Page {
  /** The path of the page; the page has the paths below it too. */
  readonly path: string;
  readonly title: string;
  readonly icon: Icon;
  /** On a small screen: in the bar at the bottom, instead of behind "More". */
  readonly primary?: boolean;
  /** Only owners and operators see it. */
  readonly owner?: boolean;
  /** Only users of a customer see it: it is about their orders. */
  readonly customer?: boolean;
  readonly show: ComponentType;
}

/** pagesOf returns the pages that a user may open. */
export function pagesOf(session: Session): readonly Page[] {
  return pages.filter((page) => (!page.owner || mayChange(session)) && (!page.customer || session.role !== "operator"));
}

/** isAt reports whether a location is the one of a page or below it. */
export function isAt(page: Page, location: string): boolean {
  return location === page.path || location.startsWith(`${page.path}/`);
}

/** The pages in the order of the navigation. */
export const pages: readonly Page[] = [
  {path: "/overview", title: "Overview", icon: IconHome, primary: true, customer: true, show: lazy(() => import("../pages/overview/Overview"))},
  {path: "/trade", title: "Trade", icon: IconChartCandle, primary: true, customer: true, show: lazy(() => import("../pages/trade/Trade"))},
  {path: "/orders", title: "Orders", icon: IconListDetails, primary: true, customer: true, show: lazy(() => import("../pages/orders/Orders"))},
  {path: "/positions", title: "Positions", icon: IconStack2, primary: true, customer: true, show: lazy(() => import("../pages/positions/Positions"))},
  {path: "/fills", title: "Fills", icon: IconReceipt2, customer: true, show: lazy(() => import("../pages/fills/Fills"))},
  {path: "/trades", title: "Closed trades", icon: IconArrowsExchange, customer: true, show: lazy(() => import("../pages/trades/Trades"))},
  {path: "/channels", title: "Channels", icon: IconWebhook, show: lazy(() => import("../pages/channels/Channels"))},
  {path: "/signals", title: "Signals", icon: IconBolt, customer: true, show: lazy(() => import("../pages/signals/Signals"))},
  {path: "/endpoints", title: "Endpoints", icon: IconWorldUpload, show: lazy(() => import("../pages/endpoints/Endpoints"))},
  {path: "/deliveries", title: "Deliveries", icon: IconSend, customer: true, show: lazy(() => import("../pages/deliveries/Deliveries"))},
  {path: "/keys", title: "Keys", icon: IconKey, show: lazy(() => import("../pages/keys/Keys"))},
  {path: "/users", title: "Users", icon: IconUsers, owner: true, show: lazy(() => import("../pages/users/Users"))},
  {path: "/journal", title: "Journal", icon: IconNotebook, show: lazy(() => import("../pages/journal/Journal"))},
  {path: "/settings", title: "Settings", icon: IconSettings, show: lazy(() => import("../pages/settings/Settings"))},
];
