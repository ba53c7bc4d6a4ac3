import {ORDER, expect, post, signIn, test as base} from "./fixtures";
import {Service, Venues} from "./service";

// The venues keep what they have while the service is away.
const test = base.extend<{venues: Venues; own: Service}>({
  venues: async ({}, use) => {
    const venues = await Venues.start();
    await use(venues);
    await venues.close();
  },
  own: async ({venues}, use) => {
    const own = await Service.start(venues.settings);
    await use(own);
    await own.close();
  },
});

test("a kill of the service: the page marks what it shows as not current, and is live again after the restart", async ({page, own}) => {
  test.setTimeout(120_000);
  const {demo} = own;
  await signIn(page, own);
  const order = await post(demo, `${demo.baseUrl}/v1/orders`, {...ORDER, type: "limit", price: "50000"});
  await post(demo, `${demo.baseUrl}/v1/orders`, {...ORDER, type: "market"});
  await page.goto(`${demo.console.url}/trade/binance/BTCUSDT`);
  const book = page.getByRole("region", {name: "Order book"});
  const state = book.locator("[data-state]");
  await expect(state).toHaveAttribute("data-state", "live");
  const price = page.getByRole("textbox", {name: "Price"});
  await price.fill("50001");

  // Each state of the book from now on: it is not live while the service is away.
  await page.evaluate(() => {
    const seen: string[] = [];
    (window as {seen?: string[]}).seen = seen;
    new MutationObserver(() => {
      const now = document.querySelector("[aria-label='Order book'] [data-state]");
      if (now) seen.push(`${now.getAttribute("data-state") ?? ""} ${now.textContent}`);
    }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
  });
  await own.kill();
  await expect(state).toHaveAttribute("data-state", "stale");
  await expect(state).toContainText("not connected, next attempt at");
  await expect(page.getByRole("region", {name: "Open orders"}).locator("[data-state=live]")).toHaveCount(0);
  await page.waitForTimeout(4_000); // some attempts fail
  const away = await page.evaluate(() => (window as {seen?: string[]}).seen ?? []);
  const noticed = away.findIndex((one) => !one.startsWith("live")); // before it are those of the running service
  expect(noticed, "the end of the service is noticed").toBeGreaterThanOrEqual(0);
  expect(away.slice(noticed).filter((one) => one.startsWith("live")), "live while the service was away").toEqual([]);
  expect(new Set(away.filter((one) => one.includes("next attempt at"))).size, "attempts").toBeGreaterThan(1);

  await own.restart();
  await expect(state).toHaveAttribute("data-state", "live", {timeout: 45_000});
  await expect(page).not.toHaveURL(/sign-in/);
  await expect(price, "what was typed").toHaveValue("50001");
  const rest = async (path: string) => (await (await fetch(`${demo.baseUrl}/v1/${path}`, {headers: {Authorization: `Bearer ${demo.apiKey}`}})).json() as {items: Record<string, string>[]}).items;
  expect((await rest("orders?status=open")).map(({orderId}) => orderId)).toEqual([order["orderId"]]);
  await expect(page.getByRole("region", {name: "Open orders"}).locator("tbody tr")).toHaveCount(1);
  await expect(page.getByRole("region", {name: "Open orders"}).locator("tbody tr")).toContainText("50\u202f000");
  const [position] = await rest("positions");
  await page.goto(`${own.demo.console.url}/positions`);
  await expect(page.locator("tbody tr").first()).toContainText(position?.["qty"] ?? "no position");
});
