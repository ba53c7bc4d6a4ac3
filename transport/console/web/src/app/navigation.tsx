import {IconActivity, IconAdjustmentsHorizontal, IconArrowsExchange, IconBell, IconBinaryTree, IconBolt, IconBook2, IconBroadcast, IconBuilding, IconBuildingBank, IconChartCandle, IconDatabase, IconHome, IconKey, IconListDetails, IconMessage2, IconNotebook, IconReceipt2, IconSend, IconSettings, IconShieldHalf, IconStack2, IconUsers, IconWebhook, IconWorldUpload, type Icon} from "@tabler/icons-react";
import {lazy, type ComponentType} from "react";
import type {Session} from "../api/types";
import {mayChange} from "./session";

/** A page of the console: one folder of src/pages. */
export interface Page {
  /** The path of the page; the page has the paths below it too. */
  readonly path: string;
  readonly title: string;
  /** The letter that opens the page after g. */
  readonly letter: string;
  readonly icon: Icon;
  /** On a small screen: in the bar at the bottom, instead of behind "More". */
  readonly primary?: boolean;
  /** Only owners and operators see it. */
  readonly owner?: boolean;
  /** Only users of a customer see it: it is about their orders. */
  readonly customer?: boolean;
  /** Only operators see it: it is about the installation. */
  readonly operator?: boolean;
  readonly show: ComponentType;
}

/** pagesOf returns the pages that a user may open. */
export function pagesOf(session: Session): readonly Page[] {
  return pages.filter((page) => (!page.owner || mayChange(session)) && (session.role === "operator" ? !page.customer : !page.operator));
}

/** isAt reports whether a location is the one of a page or below it. */
export function isAt(page: Page, location: string): boolean {
  return location === page.path || location.startsWith(`${page.path}/`);
}

/** The pages in the order of the navigation. */
export const pages: readonly Page[] = [
  {path: "/operator/venues", title: "Venues", letter: "y", icon: IconBuildingBank, primary: true, operator: true, show: lazy(() => import("../pages/operator/Venues"))},
  {path: "/operator/books", title: "Books", letter: "b", icon: IconBook2, operator: true, show: lazy(() => import("../pages/operator/Books"))},
  {path: "/operator/streams", title: "Streams", letter: "t", icon: IconBroadcast, operator: true, show: lazy(() => import("../pages/operator/Streams"))},
  {path: "/operator/actors", title: "Actors", letter: "x", icon: IconBinaryTree, primary: true, operator: true, show: lazy(() => import("../pages/operator/Actors"))},
  {path: "/operator/latency", title: "Latency", letter: "l", icon: IconActivity, operator: true, show: lazy(() => import("../pages/operator/Latency"))},
  {path: "/operator/store", title: "Store", letter: "o", icon: IconDatabase, primary: true, operator: true, show: lazy(() => import("../pages/operator/Store"))},
  {path: "/operator/customers", title: "Customers", letter: "m", icon: IconBuilding, primary: true, operator: true, show: lazy(() => import("../pages/operator/Customers"))},
  {path: "/operator/configuration", title: "Configuration", letter: "g", icon: IconAdjustmentsHorizontal, operator: true, show: lazy(() => import("../pages/operator/Configuration"))},
  {path: "/overview", title: "Overview", letter: "h", icon: IconHome, primary: true, customer: true, show: lazy(() => import("../pages/overview/Overview"))},
  {path: "/trade", title: "Trade", letter: "t", icon: IconChartCandle, primary: true, customer: true, show: lazy(() => import("../pages/trade/Trade"))},
  {path: "/orders", title: "Orders", letter: "o", icon: IconListDetails, primary: true, customer: true, show: lazy(() => import("../pages/orders/Orders"))},
  {path: "/positions", title: "Positions", letter: "p", icon: IconStack2, primary: true, customer: true, show: lazy(() => import("../pages/positions/Positions"))},
  {path: "/fills", title: "Fills", letter: "f", icon: IconReceipt2, customer: true, show: lazy(() => import("../pages/fills/Fills"))},
  {path: "/trades", title: "Closed trades", letter: "l", icon: IconArrowsExchange, customer: true, show: lazy(() => import("../pages/trades/Trades"))},
  {path: "/channels", title: "Channels", letter: "c", icon: IconWebhook, show: lazy(() => import("../pages/channels/Channels"))},
  {path: "/signals", title: "Signals", letter: "s", icon: IconBolt, customer: true, show: lazy(() => import("../pages/signals/Signals"))},
  {path: "/endpoints", title: "Endpoints", letter: "e", icon: IconWorldUpload, show: lazy(() => import("../pages/endpoints/Endpoints"))},
  {path: "/deliveries", title: "Deliveries", letter: "d", icon: IconSend, customer: true, show: lazy(() => import("../pages/deliveries/Deliveries"))},
  {path: "/notifications", title: "Notifications", letter: "n", icon: IconMessage2, customer: true, show: lazy(() => import("../pages/notifications/Notifications"))},
  {path: "/alerts", title: "Alerts", letter: "a", icon: IconBell, customer: true, show: lazy(() => import("../pages/alerts/Alerts"))},
  {path: "/keys", title: "Keys", letter: "k", icon: IconKey, show: lazy(() => import("../pages/keys/Keys"))},
  {path: "/accounts", title: "Accounts", letter: "v", icon: IconBuildingBank, show: lazy(() => import("../pages/accounts/Accounts"))},
  {path: "/risk", title: "Risk", letter: "r", icon: IconShieldHalf, show: lazy(() => import("../pages/risk/Risk"))},
  {path: "/users", title: "Users", letter: "u", icon: IconUsers, owner: true, show: lazy(() => import("../pages/users/Users"))},
  {path: "/health", title: "Health", letter: "y", icon: IconActivity, customer: true, show: lazy(() => import("../pages/health/Health"))},
  {path: "/journal", title: "Journal", letter: "j", icon: IconNotebook, show: lazy(() => import("../pages/journal/Journal"))},
  {path: "/settings", title: "Settings", letter: "i", icon: IconSettings, show: lazy(() => import("../pages/settings/Settings"))},
];
