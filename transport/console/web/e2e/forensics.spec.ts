import type {Page} from "@playwright/test";
import {ORDER, callAs, expect, made, settled, signIn, signal, test} from "./fixtures";

// openSignal opens the first signal of a list, and returns its path.
async function openSignal(page: Page): Promise<string> {
  await page.locator("main tbody a[href*='/signals/sig_']").first().click();
  await expect(page).toHaveURL(/\/signals\/sig_/);
  await settled(page);
  return new URL(page.url()).pathname;
}

// backToSignal opens the signal of the order that the drawer shows.
async function backToSignal(page: Page): Promise<string> {
  await page.getByRole("dialog").getByTitle("The signal").click();
  await expect(page).toHaveURL(/\/signals\?channel=hook_/);
  await expect(page.locator("main tbody tr")).toHaveCount(1);
  return openSignal(page);
}

test("a signal leads to its order, the order to its delivery and back to the signal", async ({page, service}) => {
  await signIn(page, service);
  await signal(service.demo, {...ORDER, action: "order", requestId: "there-and-back"});
  await page.goto(`${service.demo.console.url}/signals?text=there-and-back`);
  const opened = await openSignal(page);
  await page.locator("main").getByRole("link", {name: /^ord_/}).first().click();
  const drawer = page.getByRole("dialog");
  await expect(drawer).toContainText("filled");
  const order = new URL(page.url()).searchParams.get("order") ?? "";
  expect(await backToSignal(page)).toBe(opened);

  await page.goto(`${service.demo.console.url}/deliveries?type=order.filled`);
  await page.getByRole("button", {name: /^Open order\.filled/}).first().click();
  await page.getByRole("dialog").getByRole("link", {name: order}).click();
  await expect(page).toHaveURL(new RegExp(`/orders\\?.*order=${order}`));
  expect(await backToSignal(page)).toBe(opened);
});

test("a reversal is shown as steps in order, with the proof of flat, and its orders lead back", async ({page, service}) => {
  await signIn(page, service);
  const hook = await made(page, service, "hooks", {kind: "webhook", name: "turns", rules: {opposite: "reverse"}});
  for (const [side, qty, requestId] of [["buy", "2", "first"], ["sell", "3", "turn"]] as const) {
    const fired = await callAs(page, service, "POST", `hooks/${hook}/fire`, {action: "order", exchange: "okx", symbol: "SOLUSDT", side, qty, requestId});
    expect(fired.status(), await fired.text()).toBe(202);
    await page.goto(`${service.demo.console.url}/signals?channel=${hook}&text=${requestId}`);
    await openSignal(page);
    await expect(page.locator("main li").filter({hasText: "Finished"})).toBeVisible();
  }
  const opened = new URL(page.url()).pathname;
  const steps = page.getByTestId("plan").locator("> li");
  await expect(steps).toContainText(["close the position", "wait until nothing is left of the position", "place the order"]);
  await expect(steps.nth(1)).toContainText("agree that nothing is left");
  await steps.nth(2).getByRole("link").click();
  await expect(page.getByRole("dialog")).toContainText("sell");
  expect(await backToSignal(page)).toBe(opened);
});
