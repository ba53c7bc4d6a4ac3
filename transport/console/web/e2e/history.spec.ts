import {ORDER, enterAsOperator, expect, post, settled, signIn, test} from "./fixtures";

test("closed trades have totals of the service over all that the filters select", async ({page, own}) => {
  for (const side of ["buy", "sell", "buy", "sell"]) await post(own.demo, `${own.demo.baseUrl}/v1/orders`, {...ORDER, side, type: "market"});
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/trades`);
  const panel = page.getByRole("region", {name: "Closed trades"});
  await expect(async () => {
    await panel.getByRole("button", {name: "Refresh"}).click();
    await expect(panel.locator("dt").first()).toHaveText("2 trades, USDT", {timeout: 500});
  }).toPass();
  const {totals} = await (await page.request.get(`${own.demo.console.url}/api/trades?limit=1`)).json() as {totals: {fees: string}[]};
  await expect(panel.locator("dd").first()).toContainText(totals[0]?.fees ?? "no total");
  const download = page.waitForEvent("download");
  await panel.getByRole("button", {name: "CSV"}).click();
  expect((await download).suggestedFilename()).toBe("trades.csv");
  await page.goto(`${own.demo.console.url}/trades?symbol=ETHUSDT`);
  await expect(panel).toContainText("No position was closed");
});

test("an empty journal names the filter that excludes most; sign-ins are rows of it", async ({page, service}) => {
  await signIn(page, service);
  await page.goto(`${service.demo.console.url}/journal?kind=admin.user&text=nothing+like+it`);
  await expect(page.getByText("Most are excluded by “Text”")).toBeVisible();
  await page.getByRole("button", {name: "Remove “Text”"}).click();
  await expect(page).toHaveURL(/\?kind=admin\.user$/);
  await expect(page.getByRole("row", {name: /admin\.user/}).first()).toContainText("sign_in");
});

test("health shows where orders spent their time, and so does the order", async ({page, own}) => {
  const {orderId} = await post(own.demo, `${own.demo.baseUrl}/v1/orders`, {...ORDER, type: "market"}) as {orderId?: string};
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/health`);
  await settled(page);
  await expect(page.getByRole("table", {name: "Venues"}).getByRole("row", {name: /binance/})).toContainText("connected");
  const hops = page.getByRole("table", {name: "Hops of orders on binance"});
  await expect(hops.getByRole("row", {name: /answer of the venue/})).toContainText(/\d (µs|ms|s)/);
  await page.getByRole("table", {name: "Slowest orders on binance"}).getByRole("link", {name: orderId ?? ""}).click();
  await expect(page.getByRole("dialog").getByRole("region", {name: "Latency"})).toContainText("answer of the venue");

  await page.context().clearCookies();
  await enterAsOperator(page, own);
  await page.goto(`${own.demo.adminUrl}/console/operator/latency`);
  await expect(page.getByRole("table", {name: "Slowest orders on binance"})).toContainText(orderId ?? "");
});
