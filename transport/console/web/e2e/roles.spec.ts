import type {Page} from "@playwright/test";
import {act, callAs, enter, expect, pagePaths, settled, test} from "./fixtures";
import type {Service} from "./service";

type Role = "viewer" | "trader";

/** The buttons that a role does not have, on any page but that of its own settings. */
const forbidden: Readonly<Record<Role, RegExp>> = {
  viewer: /^(New|Revoke|Rotate|Remove|Cancel|Change|Close|Resend|Send|Test mode|End test mode|Pause|Resume|Dry run|Buy|Sell|Place|Halt|Save|Leverage|Connect|Disconnect|Unlock)\b/,
  trader: /^(New (key|user|channel|endpoint|chat|spreadsheet|workbook|secret|token|address)|Revoke|Rotate|Remove (the )?(channel|endpoint|key|user)|End test mode|Resume|Save the rules|Connect|Disconnect|Unlock)\b/,
};

/** The calls behind them. What a trader may not do a viewer may not do either. */
const calls: readonly (readonly [role: Role, method: "POST" | "PATCH" | "DELETE", path: string, body?: object])[] = [
  ["trader", "POST", "keys"], ["trader", "DELETE", "keys/key_x"], ["trader", "POST", "users"], ["trader", "PATCH", "users/x", {role: "owner"}],
  ["trader", "POST", "hooks"], ["trader", "DELETE", "hooks/hook_x"], ["trader", "PATCH", "hooks/hook_x", {testMode: false}], ["trader", "PATCH", "hooks/hook_x", {paused: false}],
  ["trader", "POST", "hooks/hook_x/rotate"], ["trader", "POST", "endpoints"], ["trader", "DELETE", "endpoints/end_x"], ["trader", "PATCH", "endpoints/end_x", {paused: false}],
  ["trader", "POST", "endpoints/end_x/rotate"], ["trader", "POST", "accounts"], ["trader", "PATCH", "accounts/acc_x", {limits: {dailyLoss: "1", maxOrderNotional: "1", maxOpenOrders: 1}}],
  ["trader", "POST", "accounts/acc_x/resume"], ["trader", "POST", "accounts/acc_x/unlock"],
  ["viewer", "POST", "hooks/hook_x/test"], ["viewer", "POST", "hooks/hook_x/fire"], ["viewer", "PATCH", "hooks/hook_x", {testMode: true}], ["viewer", "PATCH", "hooks/hook_x", {paused: true}],
  ["viewer", "POST", "signals/sig_x/test"], ["viewer", "POST", "endpoints/end_x/test"], ["viewer", "POST", "endpoints/end_x/resend"], ["viewer", "PATCH", "endpoints/end_x", {paused: true}],
  ["viewer", "POST", "alerts"], ["viewer", "POST", "accounts/acc_x/halt"],
];

const trades: readonly (readonly [method: "POST" | "PATCH" | "DELETE", path: string, body?: object])[] = [
  ["POST", "orders", {exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01"}], ["POST", "orders/check", {exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01"}],
  ["PATCH", "orders/ord_x", {qty: "0.02"}], ["DELETE", "orders/ord_x"], ["POST", "positions/close", {exchange: "binance", symbol: "BTCUSDT"}],
];

for (const role of ["viewer", "trader"] as const) {
  test(`a ${role} has no button of what it may not do, and the calls behind them are refused`, async ({page, service}) => {
    test.setTimeout(180_000); // it opens every page
    await act(service.demo);
    await enter(page, await service.invite(`${role}@example.com`, role));
    const paths = await pagePaths(page);
    expect(paths, "pages").not.toContain("/console/users");
    for (const path of paths.filter((path) => !path.endsWith("/settings"))) {
      await page.goto(service.demo.baseUrl + path);
      await settled(page);
      await expect(page.locator("main").getByRole("button", {name: forbidden[role]}), path).toHaveCount(0);
      const first = page.locator("main tbody a[href]").first();
      if (!/\/(channels|endpoints|signals)$/.test(path) || await first.count() === 0) continue;
      await first.click();
      await expect(page).not.toHaveURL(service.demo.baseUrl + path);
      await settled(page);
      await expect(page.locator("main").getByRole("button", {name: forbidden[role]}), `${path}, its first row`).toHaveCount(0);
    }
    for (const [of, method, path, body] of calls) {
      const response = await callAs(page, service, method, path, body);
      expect(response.status() === 403, `${method} ${path} refused, status ${response.status()}`).toBe(role === "viewer" || of === "trader");
    }
    await tradesAs(page, service, role);
  });
}

// tradesAs sends what only traders may send, with the token of the session.
async function tradesAs(page: Page, service: Service, role: Role): Promise<void> {
  const {token} = await (await callAs(page, service, "POST", "session/token")).json() as {token: string};
  for (const [method, path, data] of trades) {
    const response = await page.request.fetch(`${service.demo.baseUrl}/v1/${path}`, {method, headers: {Authorization: `Bearer ${token}`}, ...(data && {data})});
    expect(response.status() === 403, `${method} ${path} refused, status ${response.status()}`).toBe(role === "viewer");
  }
}
