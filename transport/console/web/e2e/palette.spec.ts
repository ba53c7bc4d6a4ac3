import AxeBuilder from "@axe-core/playwright";
import {ORDER, callAs, enter, expect, post, settled, signIn, test} from "./fixtures";

test("the palette goes to pages, instruments and orders with the keyboard alone", async ({page, service}) => {
  const {orderId} = await post(service.demo, `${service.demo.baseUrl}/v1/orders`, {...ORDER, type: "limit", price: "50000"}) as {orderId?: string};
  await signIn(page, service);
  await settled(page);
  const dialog = page.getByRole("dialog", {name: "Go to"});
  const field = dialog.getByRole("combobox");
  const go = async (text: string) => {
    await page.keyboard.press("Control+k");
    await expect(field).toBeFocused();
    await page.keyboard.insertText(text);
    await expect(dialog.getByRole("option").first()).toBeVisible();
  };
  await go("jour");
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/journal$/);
  await expect(page.locator("#content")).toBeFocused();

  await go("ethusdt okx");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/trade\/okx\/ETHUSDT$/);

  await page.getByLabel("Quantity", {exact: true}).focus();
  await go(orderId ?? "");
  await expect(dialog.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByRole("option").nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`order=${orderId}`));
  await expect(page.getByRole("dialog")).toContainText(orderId ?? "");

  await page.keyboard.press("Control+k"); // not over a dialog
  await expect(dialog).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  const filter = page.getByRole("search").getByLabel("Instrument");
  await filter.focus();
  await go("keys");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(filter).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(dialog).toBeHidden();
});

test("letters open pages, / the filters, and ? the keys; none without single keys", async ({page, own}) => {
  await signIn(page, own);
  await settled(page);
  await expect(async () => { // once the preferences are read
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await expect(page).toHaveURL(/\/orders$/, {timeout: 500});
  }).toPass();
  await settled(page);
  await page.keyboard.press("/");
  await expect(page.getByRole("search").getByLabel("Venue")).toBeFocused();
  await page.locator("#content").focus();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", {name: "Keyboard shortcuts"});
  await expect(help).toContainText("Ctrl K go to a page");
  await expect(help).toContainText("g o Orders");
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();

  expect((await callAs(page, own, "PATCH", "preferences", {shortcuts: false})).status()).toBe(200);
  await page.reload();
  await settled(page);
  await page.keyboard.press("?");
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.keyboard.press("Control+k"); // is no single key
  const dialog = page.getByRole("dialog", {name: "Go to"});
  await expect(dialog).toBeVisible();
  await expect(help).toBeHidden();
  await expect(page).toHaveURL(/\/orders$/);
  await page.keyboard.insertText("keyb");
  await page.keyboard.press("Enter");
  await expect(help).toContainText("switched off");
});

test("a viewer's palette has no page of owners", async ({page, service}) => {
  await enter(page, await service.invite("vera@example.com", "viewer"));
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", {name: "Go to"});
  await expect(dialog.getByRole("option", {name: "Orders"})).toBeVisible();
  await expect(dialog.getByRole("option", {name: "Users"})).toHaveCount(0);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing in the palette and in the keys, also on a phone, ${colorScheme}`, async ({page, service}) => {
    await page.emulateMedia({colorScheme, reducedMotion: "reduce"});
    await signIn(page, service);
    const violations = async () => (await new AxeBuilder({page}).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze()).violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`));
    for (const width of [1440, 360]) {
      await page.setViewportSize({width, height: 740});
      await settled(page);
      if (width === 360) {
        await page.getByRole("button", {name: "More"}).click();
        await page.getByRole("menuitem", {name: "Go to"}).click();
      } else await page.getByRole("button", {name: "Go to a page"}).click();
      const dialog = page.getByRole("dialog");
      await expect(dialog.getByRole("option").first()).toBeVisible();
      expect.soft(await violations(), `the palette at ${width}`).toEqual([]);
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), "width").toBe(width);
      await dialog.getByRole("combobox").fill("keyboard");
      await dialog.getByRole("option").first().click();
      await expect(page.getByRole("dialog", {name: "Keyboard shortcuts"})).toBeVisible();
      expect.soft(await violations(), `the keys at ${width}`).toEqual([]);
      await page.keyboard.press("Escape");
    }
  });
}
