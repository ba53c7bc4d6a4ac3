import {expect, signIn, test} from "./fixtures";

test("leverage, protection and a part of a position, each with what will happen", async ({page, own}) => {
  test.setTimeout(120_000);
  await signIn(page, own);
  await own.api("POST", "orders", {exchange: "bybit", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.04", stopLoss: "50000"});
  await page.goto(`${own.demo.console.url}/trade/bybit/BTCUSDT`);
  await page.locator("label", {hasText: /^Positions 1$/}).click();
  const position = page.getByRole("region", {name: "Position"});
  await expect(position.locator("tbody tr")).toContainText("long");

  await page.getByRole("button", {name: "Leverage"}).click();
  let dialog = page.getByRole("dialog", {name: "Change the leverage"});
  await expect(dialog).toContainText("The venue may refuse it");
  await dialog.getByLabel("Leverage", {exact: true}).fill("1000");
  await expect(dialog.getByText(/^At most \d+\.$/)).toBeVisible();
  await dialog.getByLabel("Leverage", {exact: true}).fill("7");
  await dialog.getByRole("button", {name: "Change the leverage · sim"}).click();
  await expect(dialog.getByRole("status")).toContainText("is 7");
  await dialog.getByRole("button", {name: "Done"}).click();

  await position.getByRole("button", {name: "Protect the long position"}).click();
  dialog = page.getByRole("dialog", {name: "Protect this position"});
  await expect(dialog).toContainText("protected through the order that opened it");
  await expect(dialog.getByLabel("Stop loss")).toHaveValue("50000");
  await dialog.getByLabel("Stop loss").fill("51000.5");
  await dialog.getByRole("button", {name: "Change the order"}).click();
  await expect(dialog).toBeHidden();
  await expect(position.locator("tbody tr")).toContainText("51\u202f000.5");

  await position.getByRole("button", {name: "Close the long position"}).click();
  dialog = page.getByRole("dialog", {name: "Close this position"});
  await dialog.getByRole("button", {name: "25 %"}).click();
  await expect(dialog.getByLabel("Quantity")).toHaveValue("0.010");
  await expect(dialog).toContainText("sells 0.010 BTCUSDT on bybit");
  await dialog.getByRole("button", {name: "Close the position · sim"}).click();
  await expect(dialog.getByRole("status")).toContainText("filled");
  await dialog.getByRole("button", {name: "Done"}).click();
  await expect(position.locator("tbody tr")).toContainText("0.03 BTC");

  // One that no order protects gets a stop of its own.
  await own.api("POST", "orders", {exchange: "okx", symbol: "ETHUSDT", side: "sell", type: "market", qty: "1"});
  await page.goto(`${own.demo.console.url}/positions?exchange=okx`);
  await page.getByRole("button", {name: "Protect ETHUSDT on okx"}).click();
  dialog = page.getByRole("dialog", {name: "Protect this position"});
  await expect(dialog).toContainText("places a reduce-only stop");
  await dialog.getByLabel("Stop loss").fill("1");
  await expect(dialog.getByText(/^Above the mark price/)).toBeVisible();
  await dialog.getByLabel("Stop loss").fill("9000");
  await dialog.getByRole("button", {name: "Place the stop · sim"}).click();
  await expect(dialog.getByRole("status")).toContainText("untriggered");
});
