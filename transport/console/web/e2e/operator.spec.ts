import {readFile} from "node:fs/promises";
import {join} from "node:path";
import type {Page} from "@playwright/test";
import {enterAsOperator, expect, pagePaths, PASSWORD, settled, signIn, stepUp, test} from "./fixtures";
import type {Service} from "./service";

// rows returns the rows of the installation's journal.
async function rows(service: Service): Promise<{kind: string; fields: {name: string; value: string}[]}[]> {
  const answer = await fetch(`${service.demo.adminUrl}/admin/v1/journal?limit=200`, {
    headers: {Authorization: `Bearer ${(await readFile(join(service.data, "admin.token"), "utf8")).trim()}`},
  });
  return (await answer.json() as {items: {kind: string; fields: {name: string; value: string}[]}[]}).items;
}

// confirm does what the dialog that is open asks about.
async function confirm(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", {name: button}).click();
  await expect(dialog).toBeHidden();
}

test("the public listener has no pages and calls of operators", async ({page, service}) => {
  await signIn(page, service);
  expect((await pagePaths(page)).filter((path) => path.includes("/operator"))).toEqual([]);
  await page.goto(`${service.demo.console.url}/operator/store`);
  await expect(page.getByRole("heading", {name: "No such page"})).toBeVisible();
  for (const path of ["actors", "incidents", "venues", "books", "streams", "store", "config", "customers", "journal/verify", "backup"])
    expect.soft(await page.evaluate(async (path) => (await fetch(`/console/api/${path}`)).status, path), path).toBe(404);
});

test("an operator sees each part of the service", async ({page, service}) => {
  await enterAsOperator(page, service);
  const paths = await pagePaths(page);
  expect(paths.filter((path) => path.includes("/operator")).length, "pages of operators").toBe(8);
  for (const path of paths) {
    await page.goto(service.demo.adminUrl + path);
    await settled(page);
    await expect.soft(page.getByRole("alert"), path).toHaveCount(0);
  }
  await page.goto(`${service.demo.adminUrl}/console/operator/venues`);
  for (const exchange of ["binance", "bybit", "okx"]) {
    const card = page.getByRole("region", {name: exchange});
    await expect(card).toContainText("● up");
    await expect(card.getByRole("meter").first()).toHaveAttribute("aria-valuetext", /^\d+ of \d+$/);
  }
  await page.goto(`${service.demo.adminUrl}/console/operator/configuration`);
  await expect(page.getByRole("cell", {name: service.data, exact: true})).toBeVisible();
});

test("a part that does not respond fails alone", async ({page, service}) => {
  await enterAsOperator(page, service);
  await page.route("**/console/api/incidents", (route) => route.fulfill({status: 503, json: {error: {code: "maintenance", message: "not now", requestId: "req_1"}}}));
  await page.goto(`${service.demo.adminUrl}/console/operator/actors`);
  await expect(page.getByRole("region", {name: "Newest failures"}).getByRole("alert")).toContainText("maintenance");
  await expect(page.getByRole("treeitem", {name: /^venue\/okx/})).toBeVisible();
});

test("the tree of actors is walked with arrows, and follows actors that start again", async ({page, own}) => {
  await enterAsOperator(page, own);
  await page.goto(`${own.demo.adminUrl}/console/operator/actors`);
  const venue = page.getByRole("treeitem", {name: /^venue\/okx/});
  await venue.waitFor();
  if (await venue.getAttribute("aria-expanded") === "true") await venue.click();
  await venue.focus();
  await page.keyboard.press("ArrowRight");
  await expect(venue).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("treeitem", {name: /^market\/1/}).and(page.locator(":focus"))).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(venue).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(venue).toHaveAttribute("aria-expanded", "false");

  await page.getByLabel("Find").fill("customer");
  const customer = page.getByRole("treeitem", {name: /customer\/cus_/}).first();
  await customer.waitFor();
  const name = await customer.getAttribute("data-path") ?? "";
  const id = name.slice(name.indexOf("cus_"));
  const change = (disabled: boolean) => page.evaluate(async ([id, disabled]) => (await fetch(`/console/api/customers/${id}`, {
    method: "PATCH", headers: {"Content-Type": "application/json", "X-Console": "1"}, body: JSON.stringify({disabled}),
  })).status, [id, disabled] as const);
  expect(await change(true)).toBe(200);
  await expect(page.getByRole("treeitem", {name})).toHaveCount(0);
  expect(await change(false)).toBe(200);
  await expect(page.getByRole("treeitem", {name}).first()).toHaveAccessibleDescription(/for (\d s|\d+ ms)/);
});

test("every act of an operator is in the chain, which verifies", async ({page, own}) => {
  await enterAsOperator(page, own);
  await page.goto(`${own.demo.adminUrl}/console/operator/customers`);
  await page.getByRole("button", {name: "New customer"}).click();
  await page.getByLabel("Name").fill("Second desk");
  await confirm(page, "Make the customer");
  await expect(page.getByRole("row", {name: /Second desk/})).toContainText("active");
  await page.getByRole("button", {name: "Change Second desk"}).click();
  await page.getByRole("menuitem", {name: "Disable"}).click();
  await confirm(page, "Disable");
  await expect(page.getByRole("row", {name: /Second desk/})).toContainText("disabled");

  await page.goto(`${own.demo.adminUrl}/console/operator/store`);
  await page.getByRole("button", {name: "Seal with a new key"}).click();
  await confirm(page, "Seal again");
  await expect(page.getByText(/Sealed: \d+ accounts/)).toBeVisible();
  await page.getByRole("button", {name: "Download a backup"}).click();
  const started = page.waitForEvent("download");
  await confirm(page, "Download");
  const backup = await started;
  expect(backup.suggestedFilename()).toMatch(/^venuegate-\d{8}-\d{6}\.backup$/);
  const restored = `${own.data}-restored`;
  expect((await readFile(await backup.path())).length, "bytes of the backup").toBeGreaterThan(1000);
  await own.restore(await backup.path(), restored);
  await expect(page.getByText("none known")).toHaveCount(0);

  await page.getByRole("button", {name: "Check the chain"}).click();
  await expect(page.getByText(/Intact: \d+ rows\./)).toBeVisible();
  const mine = (await rows(own)).filter(({fields}) => fields.some(({name, value}) => name === "via" && value === "console as operator")).map(({kind}) => kind);
  for (const [kind, times] of [["admin.customer", 2], ["admin.vault", 1], ["admin.backup", 1]] as const)
    expect.soft(mine.filter((one) => one === kind).length, kind).toBe(times);
});

test("an act asks for the password when the last time is too long ago, and then goes on", async ({page, service}) => {
  await enterAsOperator(page, service);
  await page.goto(`${service.demo.adminUrl}/console/operator/store`);
  await settled(page);
  let asked = false;
  await page.route("**/console/api/rotate-key", (route) => {
    if (asked) return route.continue();
    asked = true;
    return route.fulfill({status: 403, json: {error: {code: "scope_required", message: "confirm", requestId: "req_1", details: {required: "step_up"}}}});
  });
  await page.getByRole("button", {name: "Seal with a new key"}).click();
  await page.getByRole("dialog").getByRole("button", {name: "Seal again"}).click();
  await stepUp(page, PASSWORD);
  await expect(page.getByText(/Sealed: \d+ accounts/)).toBeVisible();
});
