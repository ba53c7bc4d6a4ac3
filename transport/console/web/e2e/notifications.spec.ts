import type {Page} from "@playwright/test";
import {expect, signIn, test as base} from "./fixtures";
import {Service, type Demo} from "./service";
import {BOT_TOKEN, Google, ROBOT, SPREADSHEET, Telegram} from "./stand-ins";

interface Outside {
  readonly outside: {readonly telegram: Telegram; readonly google: Google; readonly service: Service};
}

const test = base.extend<object, Outside>({
  outside: [async ({}, use) => {
    const telegram = new Telegram(), google = new Google();
    await telegram.start();
    await google.start();
    const service = await Service.start({
      VENUEGATE_NOTIFY_TELEGRAM_URL: telegram.url, VENUEGATE_NOTIFY_SHEETS_URL: google.url, VENUEGATE_NOTIFY_GOOGLE_TOKEN_URL: `${google.url}/token`,
    });
    await use({telegram, google, service});
    await service.close();
    telegram.close();
    google.close();
  }, {scope: "worker"}],
});

// trade opens a position and closes it.
async function trade(demo: Demo, symbol: string): Promise<void> {
  for (const order of [{side: "buy"}, {side: "sell", reduceOnly: true}]) {
    const answer = await fetch(`${demo.baseUrl}/v1/orders`, {
      method: "POST", headers: {"Authorization": `Bearer ${demo.apiKey}`, "Content-Type": "application/json"},
      body: JSON.stringify({exchange: "binance", symbol, type: "market", qty: "0.1", ...order}),
    });
    expect(answer.ok, await answer.text()).toBe(true);
  }
}

async function open(page: Page, {demo}: Service, button: string) {
  await page.goto(`${demo.console.url}/notifications`);
  await page.getByRole("button", {name: button}).click();
  return page.getByRole("dialog");
}

test("a bot writes to a group once it is an administrator there", async ({page, outside: {telegram, service}}) => {
  test.setTimeout(120_000); // it waits for deliveries
  await signIn(page, service);
  const dialog = await open(page, service, "New chat");
  await dialog.getByLabel("Token of the bot").fill("1:wrongWRONGwrongWRONG");
  await dialog.getByRole("button", {name: "Check the token"}).click();
  await expect(dialog.getByRole("alert")).toContainText("the token of the bot is not valid");
  await dialog.getByLabel("Token of the bot").fill(BOT_TOKEN);
  await dialog.getByRole("button", {name: "Check the token"}).click();
  await expect(dialog).toContainText("The bot is Desk, @desk_bot");
  await expect(dialog).toContainText("Nobody has written to the bot yet");

  const group = {id: -1001, type: "supergroup", title: "Traders <b>", status: "member"};
  telegram.chats.push(group, {id: 42, type: "private", first_name: "Ann", status: "member"});
  await dialog.getByRole("button", {name: "Look again"}).click();
  await expect(dialog.getByRole("radio", {name: "Ann private"})).toBeChecked();
  await expect(dialog).toContainText("it is only a member");
  await dialog.getByRole("radio", {name: "Traders <b> group"}).check();
  await dialog.getByRole("button", {name: "To the events"}).click();
  await expect(dialog.getByRole("status", {name: "What was found"})).toContainText("must be an administrator of this group");
  group.status = "administrator";
  await dialog.getByRole("button", {name: "Look again"}).click();
  await expect(dialog.getByRole("radio", {name: "Traders <b> group, administrator"})).toBeChecked();
  await dialog.getByRole("button", {name: "To the events"}).click();

  await dialog.getByLabel("order.filled").check();
  await dialog.getByLabel("position.closed").check();
  await dialog.getByRole("button", {name: "Send to this chat"}).click();
  await dialog.getByRole("button", {name: "Send a test message"}).click();
  await expect(dialog.getByTestId("tested")).toContainText("✓ delivered");
  expect(telegram.sent.map(({chat, text}) => `${chat} ${text.split("\n")[0]}`)).toEqual(["-1001 Alert: BTCUSDT on binance"]);
  await dialog.getByRole("button", {name: "Close", exact: true}).last().click();

  await trade(service.demo, "BTCUSDT");
  await expect.poll(() => telegram.sent.map(({text}) => text.split(":")[0]).sort()).toEqual(["Alert", "Order filled", "Order filled", "Position closed"]);
  const row = page.getByRole("row", {name: /Traders/});
  await expect(row).toContainText("order.filled, position.closed");
  await page.reload();
  await expect(row).toContainText("delivered");
  await expect(row).toContainText("nothing waits");
  expect(await page.content(), "the page after the wizard").not.toContain("canary");

  telegram.token = `${BOT_TOKEN}2`; // the first one is revoked
  await trade(service.demo, "BTCUSDT");
  const warning = page.getByText("Nothing is sent to Traders <b>: the token of the bot is no longer valid");
  await expect(async () => {
    await page.reload();
    await expect(warning).toBeVisible({timeout: 3_000});
  }).toPass();
  await page.getByRole("link", {name: "Traders <b>"}).first().click();
  await page.getByRole("button", {name: "Replace the token"}).click();
  const replace = page.getByRole("dialog", {name: "Replace the token"});
  await replace.getByLabel("Token of the bot").fill(telegram.token);
  await replace.getByRole("button", {name: "Replace", exact: true}).click();
  await expect(page.getByText("● active")).toBeVisible();
  await expect.poll(() => telegram.sent.length, "messages that have waited").toBe(7);
});

test("a spreadsheet has a row after a closed trade, once it is shared", async ({page, outside: {google, service}}) => {
  test.setTimeout(120_000); // it waits for deliveries
  await signIn(page, service);
  const dialog = await open(page, service, "New spreadsheet");
  const file = dialog.getByLabel("Key of the service account");
  await file.setInputFiles({name: "other.json", mimeType: "application/json", buffer: Buffer.from("{}")});
  await expect(dialog).toContainText("not the JSON key of a service account");
  await expect(dialog.getByRole("button", {name: "To the spreadsheet"})).toBeDisabled();
  await file.setInputFiles({name: "key.json", mimeType: "application/json", buffer: Buffer.from(google.key)});
  await expect(dialog).toContainText(`The key is of ${ROBOT}`);
  await dialog.getByRole("button", {name: "To the spreadsheet"}).click();

  await dialog.getByLabel("Address of the spreadsheet").fill(`https://docs.google.com/spreadsheets/d/${SPREADSHEET}/edit#gid=0`);
  await dialog.getByRole("button", {name: "Check", exact: true}).click();
  const found = dialog.getByRole("status", {name: "What was found"});
  await expect(found).toContainText(`not shared with ${ROBOT} as an editor`);
  google.shared = true;
  await dialog.getByRole("button", {name: "Check again"}).click();
  await expect(found.locator("[data-check=target][data-status=ok]")).toContainText("Spreadsheet");
  await dialog.getByRole("button", {name: "To the columns"}).click();
  await expect(dialog.getByLabel("Columns").locator("dt")).toHaveText(["Time", "Instrument", "Direction", "Quantity", "Entry price", "Exit price", "Fee", "P&L", "Comment"]);
  await dialog.getByRole("button", {name: "Write to this spreadsheet"}).click();
  await dialog.getByRole("button", {name: "Write a test row"}).click();
  await expect(dialog.getByTestId("tested")).toContainText("✓ delivered");
  expect(google.rows.map((row) => row[8])).toEqual(["Comment", "test"]);

  await trade(service.demo, "ETHUSDT");
  await expect.poll(() => google.rows.slice(2).map((row) => [row[1], row[2], row[3]])).toEqual([["binance:ETHUSDT", "long", 0.1]]);

  google.shared = false;
  await trade(service.demo, "ETHUSDT");
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("Nothing is sent to Closed trades: the spreadsheet is not shared")).toBeVisible({timeout: 3_000});
  }).toPass();
  await expect(page.getByRole("row", {name: /Closed trades/})).toContainText("1 waits");
  google.shared = true;
  await page.getByRole("link", {name: "Closed trades"}).last().click();
  await page.getByRole("button", {name: "Resume"}).click();
  await page.getByRole("dialog").getByRole("button", {name: "Resume"}).click();
  await expect.poll(() => google.rows.length, "rows with the one that has waited").toBe(4);
});

test("a workbook file is downloaded", async ({page, outside: {service}}) => {
  await signIn(page, service);
  const dialog = await open(page, service, "New workbook");
  await dialog.getByLabel("Name of the file").fill("../trades");
  await expect(dialog.getByRole("button", {name: "Make the workbook"})).toBeDisabled();
  await dialog.getByLabel("Name of the file").fill("trades");
  await dialog.getByRole("button", {name: "Make the workbook"}).click();
  await expect(page.getByRole("row", {name: /trades.xlsx/})).toContainText("made with the first closed trade");
  await trade(service.demo, "SOLUSDT");
  await expect(async () => {
    await page.reload();
    const downloads = page.waitForEvent("download", {timeout: 3_000});
    await page.getByRole("link", {name: "Download trades.xlsx"}).click({timeout: 3_000});
    const stream = await (await downloads).createReadStream();
    let start = "";
    for await (const chunk of stream) start ||= (chunk as Buffer).subarray(0, 2).toString();
    expect(start).toBe("PK");
  }).toPass({timeout: 30_000});
});
