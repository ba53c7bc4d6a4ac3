import {expect, settled, signIn, test} from "./fixtures";

const order = {exchange: "okx", symbol: "ETHUSDT", side: "buy", type: "limit", qty: "0.5", price: "1000"};

test("single keys of the trade page, and none once they are switched off", async ({page, own}) => {
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/trade/binance/BTCUSDT`);
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
  const ticket = page.getByRole("region", {name: "Order ticket"});
  const isSelling = ticket.getByRole("radio", {name: "Sell"});
  await expect(async () => { // once the preferences are read
    await page.keyboard.press("s");
    await expect(isSelling).toBeChecked({timeout: 500});
  }).toPass();
  await page.keyboard.press("b");
  await expect(ticket.getByRole("radio", {name: "Buy"})).toBeChecked();
  await page.keyboard.press("p");
  await expect(page.getByRole("status").filter({hasText: /BTCUSDT on binance: best bid [\d.\s]+, best ask [\d.\s]+$/})).toBeVisible();
  await expect(page.locator("canvas").first()).toBeVisible(); // the chart is there
  await page.keyboard.press("t");
  await expect(page.getByRole("table", {name: "Candles of BTCUSDT"})).toBeVisible();
  await page.keyboard.press("t");
  await expect(page.locator("canvas").first()).toBeVisible();

  await ticket.getByLabel("Quantity", {exact: true}).focus();
  await page.keyboard.press("s"); // typed into the field
  await expect(ticket.getByRole("radio", {name: "Buy"})).toBeChecked();

  const response = await page.request.patch(`${own.demo.console.url}/api/preferences`, {headers: {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}, data: {shortcuts: false}});
  expect(response.status()).toBe(200);
  await page.reload();
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
  await settled(page);
  await page.keyboard.press("s");
  await page.keyboard.press("t");
  await page.waitForTimeout(500); // there is nothing to wait for
  await expect(isSelling).not.toBeChecked();
  await expect(page.locator("canvas").first()).toBeVisible();
});

test("keys of lists: a row is chosen, copied, changed and cancelled", async ({page, own, context}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {origin: own.demo.baseUrl});
  const {body: {orderId}} = await own.api<{orderId: string}>("POST", "orders", order);
  await own.api("POST", "orders", {...order, symbol: "BTCUSDT", price: "50000", qty: "0.01"});
  await own.api("POST", "orders", {...order, type: "market", price: undefined});
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/orders`);
  const rows = page.locator("tbody [data-row]");
  await expect(rows).toHaveCount(2);
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(rows.first()).toBeFocused({timeout: 500});
  }).toPass();
  await page.keyboard.press("j");
  await expect(rows.last()).toBeFocused();
  expect(await rows.last().getAttribute("data-row")).toBe(orderId);
  await page.keyboard.press("c");
  await expect(page.getByRole("status").filter({hasText: `Copied ${orderId}`})).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(orderId);
  await page.keyboard.press("e");
  await expect(page.getByRole("dialog", {name: "Change this order"})).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows.last()).toBeFocused();
  await page.keyboard.press("x");
  const dialog = page.getByRole("dialog", {name: "Cancel this order"});
  await expect(dialog.getByRole("button", {name: "Keep"})).toBeFocused();
  await dialog.getByRole("button", {name: "Cancel the order"}).click();
  await expect(rows).toHaveCount(1);

  await page.goto(`${own.demo.console.url}/overview`);
  await expect(page.getByText(/has no stop loss/)).toBeVisible();
  await page.keyboard.press("1");
  await expect(page).toHaveURL(/positions\?exchange=okx&symbol=ETHUSDT/);
  await expect(async () => {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await expect(page.getByRole("dialog", {name: "Close this position"})).toBeVisible({timeout: 500});
  }).toPass();
});
