import type {Locator, Page} from "@playwright/test";
import {enter, expect, settled, signIn, test} from "./fixtures";

interface Order {
  readonly status: string;
  readonly error?: {readonly code: string};
}

const account = (page: Page, exchange: string): Locator => page.getByRole("region", {name: exchange, exact: true});

test("daily loss: the lock has cause and end, the ticket takes only what reduces, and an owner unlocks", async ({page, own}) => {
  test.setTimeout(120_000);
  const order = {exchange: "binance", symbol: "BTCUSDT", type: "market"};
  expect((await own.api<Order>("POST", "orders", {...order, side: "buy", qty: "0.1"})).status).toBe(201);
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/risk`);
  await settled(page);
  const binance = account(page, "binance");
  await binance.getByRole("button", {name: "Change limits"}).click();
  await page.getByRole("textbox", {name: "Daily loss, USDT"}).fill("200");
  await page.getByRole("button", {name: "Save"}).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(binance.getByRole("meter")).toHaveAttribute("aria-valuetext", /^[\d.]+ of 200 USDT/);

  const {body: {items: [ticker]}} = await own.api<{items: {mark: string}[]}>("GET", "tickers?exchange=binance&symbol=BTCUSDT");
  await own.control("binance", "market", {symbol: "BTCUSDT", price: `${BigInt(ticker?.mark.split(".")[0] ?? "0") - 4_000n}`});
  await expect(binance.getByText("Locked.")).toBeVisible({timeout: 20_000});
  await expect(binance).toContainText(/reached [\d.]+ of 200 USDT/);
  await expect(binance).toContainText(/It ends at .* in \d+ (h|min|s)/);
  await expect(page.getByRole("banner")).toContainText("locked: binance");

  await page.goto(`${own.demo.console.url}/trade/binance/BTCUSDT`);
  const ticket = page.getByRole("region", {name: "Order ticket"});
  await ticket.getByRole("combobox", {name: "Type"}).selectOption("market");
  await ticket.getByRole("textbox", {name: /Quantity/}).fill("0.01");
  await expect(ticket).toContainText("trading locked");
  await ticket.getByText("Sell", {exact: true}).click();
  await expect(ticket).toContainText("passes the checks");
  const increasing = await own.api<{error: {code: string}}>("POST", "orders", {...order, side: "buy", qty: "0.01"});
  expect([increasing.status, increasing.body.error.code]).toEqual([422, "trading_locked"]);
  const reducing = await own.api<Order>("POST", "orders", {...order, side: "sell", qty: "0.05", reduceOnly: true});
  expect([reducing.status, reducing.body.status]).toEqual([201, "filled"]);

  await page.goto(`${own.demo.console.url}/risk`);
  await binance.getByRole("button", {name: "Unlock"}).click();
  await expect(page.getByRole("dialog")).toContainText("another 200 USDT may be lost today");
  await page.getByRole("dialog").getByRole("button", {name: "Unlock"}).click();
  await expect(binance.getByText("● trading")).toBeVisible();
  expect((await own.api<Order>("POST", "orders", {...order, side: "buy", qty: "0.01"})).status).toBe(201);
});

test("halt from any page ends flat on every venue, and holds until an owner resumes", async ({page, own}) => {
  test.setTimeout(120_000);
  const venues = ["binance", "bybit", "okx"];
  for (const exchange of venues) {
    await own.api("POST", "orders", {exchange, symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.02", stopLoss: "40000"});
    await own.api("POST", "orders", {exchange, symbol: "ETHUSDT", side: "buy", type: "limit", qty: "0.1", price: "1000"});
  }
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/journal`);
  await settled(page);
  await page.keyboard.press("h");
  const dialog = page.getByRole("dialog", {name: "Halt all trading"});
  await expect(dialog.getByRole("button", {name: "Keep trading"})).toBeFocused();
  await dialog.getByRole("radio", {name: "Cancel orders and close positions"}).check();
  await dialog.getByRole("button", {name: "Halt all"}).click();
  const progress = dialog.getByRole("list", {name: "Progress of the halt"});
  for (const exchange of venues) await expect(progress.getByRole("listitem").filter({hasText: exchange})).toContainText("no order is left", {timeout: 30_000});
  await expect(dialog).toContainText("Halted.");
  await dialog.getByRole("button", {name: "Close", exact: true}).last().click();
  await expect(page.getByRole("banner")).toContainText("halted: all");

  const {body: positions} = await own.api<{items: unknown[]}>("GET", "positions");
  const {body: orders} = await own.api<{items: unknown[]}>("GET", "orders?status=open");
  expect([positions.items, orders.items], "positions and open orders").toEqual([[], []]);
  const refused = await own.api<{error: {code: string}}>("POST", "orders", {exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.02"});
  expect(refused.body.error.code).toBe("trading_locked");

  await page.goto(`${own.demo.console.url}/risk`);
  for (const exchange of venues) {
    await account(page, exchange).getByRole("button", {name: "Resume"}).click();
    await page.getByRole("dialog").getByRole("button", {name: "Resume"}).click();
    await expect(account(page, exchange).getByText("● trading")).toBeVisible();
  }
  await expect(page.getByRole("banner")).not.toContainText("halted");
});

test("a trader halts without a password, and cannot resume", async ({page, own}) => {
  await enter(page, await own.invite("tom@example.com", "trader"));
  await page.goto(`${own.demo.console.url}/risk`);
  await settled(page);
  const bybit = account(page, "bybit");
  await bybit.getByRole("button", {name: "Halt"}).click();
  await page.getByRole("dialog").getByRole("button", {name: "Halt bybit"}).click();
  await expect(page.getByRole("dialog")).toContainText("no order is left", {timeout: 30_000});
  await page.getByRole("dialog").getByRole("button", {name: "Close", exact: true}).last().click();
  await expect(bybit.getByText("Halted.")).toBeVisible();
  await expect(page.getByRole("button", {name: "Resume"})).toHaveCount(0);
});
