import {expect, settled, signIn, test} from "./fixtures";

test.use({viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true});

const TARGET_PIXELS = 44;

test("on a phone an order is placed and cancelled, with targets that a finger hits", async ({page, service}) => {
  await signIn(page, service);
  await page.goto(`${service.demo.console.url}/trade/okx/ETHUSDT`);
  const small = async (where: string) => expect.soft(await page.locator("header button:visible, main button:visible, main input:visible, main select:visible, nav a:visible, nav button:visible, [role=dialog] button:visible, [role=dialog] input:visible").evaluateAll(
    (all, least) => all.filter((e) => {
      const {height} = (e.closest("label") ?? e).getBoundingClientRect();
      return height > 0 && height < least && !(e instanceof HTMLInputElement && /checkbox|radio/.test(e.type));
    }).map((e) => `${e.tagName} ${e.ariaLabel ?? e.textContent} ${e.getBoundingClientRect().height}`), TARGET_PIXELS), `small targets: ${where}`).toEqual([]);
  await small("chart");
  await page.getByText("Ticket", {exact: true}).tap();
  await page.getByRole("textbox", {name: "Price"}).fill("1000");
  await page.getByRole("textbox", {name: "Quantity"}).fill("1");
  await small("ticket");
  await page.getByRole("button", {name: "Buy 1 ETH · sim"}).tap();
  await small("review");
  await page.getByRole("group", {name: "Review of the order"}).getByRole("button", {name: "Buy 1 ETH · sim"}).tap();
  await expect(page.locator("[data-outcome=placed]")).toContainText("open");
  await page.getByRole("navigation", {name: "Pages"}).last().getByRole("link", {name: "Orders"}).tap();
  await settled(page);
  await small("orders");
  await page.getByRole("button", {name: "Cancel ETHUSDT buy 1", exact: true}).tap();
  await page.getByRole("dialog").getByRole("button", {name: "Cancel the order"}).tap();
  await expect(page.getByRole("button", {name: "Cancel ETHUSDT buy 1", exact: true})).toHaveCount(0);
  for (const path of ["journal", "deliveries", "signals"]) {
    await page.goto(`${service.demo.console.url}/${path}`);
    await settled(page);
    await expect(page.locator("details summary"), `the filters of ${path} fold`).toBeVisible();
    await expect(page.locator("[role=search]")).toBeHidden();
    await page.locator("details summary").tap();
    await expect(page.locator("[role=search]")).toBeVisible();
    await small(path);
  }
});
