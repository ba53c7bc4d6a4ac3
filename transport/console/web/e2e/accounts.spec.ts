import type {Locator, Page} from "@playwright/test";
import {expect, settled, signIn, test} from "./fixtures";
import type {Service} from "./service";

interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly passphrase: string;
}

const makeKey = (service: Service, permissions: {read: boolean; trade: boolean; withdraw: boolean}) =>
  service.control<Credentials>("okx", "accounts", {balance: "50000", permissions});

// examine goes through the wizard up to the findings.
async function examine(dialog: Locator, key: Credentials): Promise<void> {
  await dialog.getByRole("textbox", {name: "API key"}).fill(key.apiKey);
  await dialog.getByRole("textbox", {name: "API secret"}).fill(key.apiSecret);
  await dialog.getByRole("textbox", {name: "Passphrase"}).fill(key.passphrase);
  await dialog.getByRole("button", {name: "Examine"}).click();
  await expect(dialog.getByRole("list", {name: "Findings"})).toBeVisible();
}

function finding(dialog: Locator, check: string, status: string): Locator {
  return dialog.locator(`[data-check=${check}][data-status=${status}]`);
}

async function connectedVenues(page: Page, service: Service): Promise<string[]> {
  const response = await page.request.get(`${service.demo.console.url}/api/accounts`, {headers: {"X-Console": "1"}});
  return (await response.json() as {items: {exchange: string}[]}).items.map(({exchange}) => exchange);
}

test("connect: what is wrong with a key is found with advice and kept nowhere; a good one connects and trades", async ({page, own}) => {
  test.setTimeout(120_000);
  await signIn(page, own);
  await page.goto(`${own.demo.console.url}/accounts/okx`);
  await settled(page);
  await page.getByRole("button", {name: "Check again"}).click();
  await expect(page.getByRole("list", {name: "Findings"}).getByText("the venue accepts the key", {exact: false})).toBeVisible();
  await page.getByRole("button", {name: "Disconnect"}).click();
  await expect(page.getByRole("dialog")).toContainText("Orders at the venue stay as they are");
  await page.getByRole("dialog").getByRole("button", {name: "Disconnect"}).click();
  await expect(page.getByRole("row", {name: /okx/})).toContainText("not connected");

  await page.getByRole("button", {name: "Connect okx"}).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("A key that may withdraw is refused");
  await dialog.getByRole("button", {name: "I have the key"}).click();

  await own.control("okx", "clock", {offsetMs: 60_000});
  await examine(dialog, await makeKey(own, {read: true, trade: true, withdraw: true}));
  await expect(finding(dialog, "permissions", "failed")).toContainText("the key may withdraw money");
  await expect(finding(dialog, "permissions", "failed")).toContainText("remove that permission");
  // The venue has rejected a timestamp by now, so that the clock was measured anew.
  await dialog.getByRole("button", {name: "Examine again"}).click();
  await expect(finding(dialog, "clock", "warning")).toContainText("run an NTP client");
  await expect(dialog.getByRole("button", {name: /^Connect/})).toHaveCount(0);
  await own.control("okx", "clock", {offsetMs: 0});

  await dialog.getByRole("button", {name: "Back"}).click();
  await examine(dialog, await makeKey(own, {read: true, trade: false, withdraw: false}));
  await expect(finding(dialog, "permissions", "failed")).toContainText("the key may not trade");
  await dialog.getByRole("button", {name: "Examine again"}).click();
  await expect(finding(dialog, "clock", "ok")).toBeVisible();

  const good = await makeKey(own, {read: true, trade: true, withdraw: false});
  await dialog.getByRole("button", {name: "Back"}).click();
  await examine(dialog, {...good, apiSecret: "x".repeat(good.apiSecret.length)});
  await expect(finding(dialog, "key", "failed")).toContainText("the venue rejects the key");
  expect(await connectedVenues(page, own), "connected after the examinations").not.toContain("okx");

  await dialog.getByRole("button", {name: "Back"}).click();
  await examine(dialog, good);
  await expect(finding(dialog, "permissions", "ok")).toBeVisible();
  await dialog.getByRole("button", {name: "Connect · sim"}).click();
  await expect(page).toHaveURL(/accounts\/okx$/);
  await expect(page.getByText("● trading")).toBeVisible();
  expect(await page.content(), "the page").not.toContain(good.apiSecret);
  await expect(async () => {
    const {status, body} = await own.api<{status: string}>("POST", "orders", {exchange: "okx", symbol: "BTCUSDT", side: "buy", type: "market", qty: "0.01"});
    expect([status, body.status]).toEqual([201, "filled"]);
  }).toPass({timeout: 15_000});
});
