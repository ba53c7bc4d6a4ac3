import {IconAdjustmentsHorizontal, IconArrowsExchange, IconBell, IconBinaryTree, IconBolt, IconBook2, IconBroadcast, IconBuilding, IconBuildingBank, IconChartCandle, IconDatabase, IconHome, IconKey, IconListDetails, IconMessage2, IconNotebook, IconReceipt2, IconSend, IconSettings, IconShieldHalf, IconStack2, IconUsers, IconWebhook, IconWorldUpload, type Icon} from "@tabler/icons-react";
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
  {path: "/operator/venues", title: "Venues", icon: IconBuildingBank, primary: true, operator: true, show: lazy(() => import("../pages/operator/Venues"))},
  {path: "/operator/books", title: "Books", icon: IconBook2, operator: true, show: lazy(() => import("../pages/operator/Books"))},
  {path: "/operator/streams", title: "Streams", icon: IconBroadcast, operator: true, show: lazy(() => import("../pages/operator/Streams"))},
  {path: "/operator/actors", title: "Actors", icon: IconBinaryTree, primary: true, operator: true, show: lazy(() => import("../pages/operator/Actors"))},
  {path: "/operator/store", title: "Store", icon: IconDatabase, primary: true, operator: true, show: lazy(() => import("../pages/operator/Store"))},
  {path: "/operator/customers", title: "Customers", icon: IconBuilding, primary: true, operator: true, show: lazy(() => import("../pages/operator/Customers"))},
  {path: "/operator/configuration", title: "Configuration", icon: IconAdjustmentsHorizontal, operator: true, show: lazy(() => import("../pages/operator/Configuration"))},
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
  {path: "/notifications", title: "Notifications", icon: IconMessage2, customer: true, show: lazy(() => import("../pages/notifications/Notifications"))},
  {path: "/alerts", title: "Alerts", icon: IconBell, customer: true, show: lazy(() => import("../pages/alerts/Alerts"))},
  {path: "/keys", title: "Keys", icon: IconKey, show: lazy(() => import("../pages/keys/Keys"))},
  {path: "/accounts", title: "Accounts", icon: IconBuildingBank, show: lazy(() => import("../pages/accounts/Accounts"))},
  {path: "/risk", title: "Risk", icon: IconShieldHalf, show: lazy(() => import("../pages/risk/Risk"))},
  {path: "/users", title: "Users", icon: IconUsers, owner: true, show: lazy(() => import("../pages/users/Users"))},
  {path: "/journal", title: "Journal", icon: IconNotebook, show: lazy(() => import("../pages/journal/Journal"))},
  {path: "/settings", title: "Settings", icon: IconSettings, show: lazy(() => import("../pages/settings/Settings"))},
];
