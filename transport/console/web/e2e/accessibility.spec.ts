import AxeBuilder from "@axe-core/playwright";
import type {Page} from "@playwright/test";
import {act, enterAsOperator, expect, pagePaths, settled, signIn, test} from "./fixtures";

// violations returns what axe finds against WCAG 2.2 A and AA, with the elements.
async function violations(page: Page): Promise<string[]> {
  const {violations: found} = await new AxeBuilder({page}).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  return found.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html} ${node.any.map((check) => check.message).join("; ")}`));
}

/** The lists whose first row opens: in a drawer, or as a page of its own. */
const opens: Readonly<Record<string, "drawer" | "page">> = {orders: "drawer", deliveries: "drawer", signals: "page", channels: "page", endpoints: "page", accounts: "page"};

// openFirst opens the first row of a list, and waits for what it shows.
async function openFirst(page: Page, as: "drawer" | "page"): Promise<void> {
  const list = page.url();
  await page.locator("main tbody tr").first().locator("a[href], button[aria-label]").first().click();
  if (as === "drawer") await page.getByRole("dialog").waitFor();
  else await expect(page).not.toHaveURL(list);
  await expect(page.getByLabel("Loading")).toHaveCount(0);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page, ${colorScheme}`, async ({page, service}) => {
    test.setTimeout(300_000);
    await page.emulateMedia({colorScheme, reducedMotion: "reduce"});
    await page.goto(`${service.demo.console.url}/sign-in`);
    await page.getByLabel("Login").waitFor();
    expect.soft(await violations(page), "sign-in").toEqual([]);
    await page.goto(`${service.demo.console.url}/enter#x`);
    await page.getByLabel("Once more").waitFor();
    expect.soft(await violations(page), "enter").toEqual([]);
    await act(service.demo);
    await signIn(page, service);
    for (const path of await pagePaths(page)) {
      await page.goto(service.demo.baseUrl + path);
      await settled(page);
      expect.soft(await violations(page), path).toEqual([]);
      const as = opens[path.split("/").at(-1) ?? ""];
      if (as) {
        await openFirst(page, as);
        expect.soft(await violations(page), `${path}, its first row`).toEqual([]);
        await page.goto(service.demo.baseUrl + path);
        await settled(page);
      }
      const add = page.getByRole("button", {name: /^New /});
      if (await add.count() === 0) continue;
      await add.first().click();
      await page.getByRole("dialog").waitFor();
      expect.soft(await violations(page), `${path}, its dialog`).toEqual([]);
    }
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page of operators, ${colorScheme}`, async ({page, service}) => {
    test.setTimeout(300_000);
    await page.emulateMedia({colorScheme, reducedMotion: "reduce"});
    await enterAsOperator(page, service);
    for (const path of await pagePaths(page)) {
      await page.goto(service.demo.adminUrl + path);
      await settled(page);
      expect.soft(await violations(page), path).toEqual([]);
    }
    await page.goto(`${service.demo.adminUrl}/console/operator/store`);
    await page.getByRole("button", {name: "Download a backup"}).click();
    await page.getByRole("dialog").waitFor();
    expect.soft(await violations(page), "the dialog of a backup").toEqual([]);
  });
}

test("with the keyboard alone: sign in, make a key, and always see the focus", async ({page, service}) => {
  await page.goto(`${service.demo.console.url}/sign-in`);
  await page.getByLabel("Login").waitFor();
  await page.keyboard.type(service.demo.console.user);
  await page.keyboard.press("Tab");
  await page.keyboard.type(service.demo.console.password);
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(/sign-in/);
  const focus = async (name: string) => {
    for (let n = 0; n < 80; n++) {
      const at = await page.evaluate(() => {
        const e = document.activeElement as HTMLElement | null;
        const style = e && getComputedStyle(e);
        return e && style ? {text: (e.ariaLabel ?? e.textContent).trim(), shown: e === document.body || style.outlineStyle !== "none" || style.boxShadow !== "none" || style.borderColor !== ""} : undefined;
      });
      expect(at?.shown, `the focus on ${at?.text}`).toBe(true);
      if (at?.text === name) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not reach ${name}`);
  };
  await focus("Keys");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/keys/);
  await focus("New key");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", {name: "Key keyboard"})).toBeVisible();
  await expect(page.getByRole("button", {name: "Copy API key"})).toBeFocused();
});

test("a chart with lines of orders is left without an error", async ({page, service}) => {
  await act(service.demo);
  await signIn(page, service);
  await page.goto(`${service.demo.console.url}/trade/binance/BTCUSDT`);
  for (let n = 0; n < 3; n++) {
    await page.locator("canvas").first().waitFor();
    await page.getByText("live").first().waitFor();
    await page.waitForTimeout(300); // frames that draw the lines
    await page.getByRole("button", {name: "As table"}).click();
    await page.waitForTimeout(300); // frames of a chart that is gone
    await page.getByRole("button", {name: "As chart"}).click();
  }
});

test("a phone, and 400 % of zoom: nothing is wider than the screen, and everything can be hit", async ({page, service}) => {
  test.setTimeout(300_000);
  await act(service.demo);
  await signIn(page, service);
  const paths = await pagePaths(page);
  for (const size of [{width: 360, height: 740}, {width: 320, height: 256}]) {
    await page.setViewportSize(size);
    for (const path of paths) {
      await page.goto(service.demo.baseUrl + path);
      await settled(page);
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), `width of ${path} at ${size.width}`).toBe(size.width);
      const outside = await page.locator("main td button:visible").evaluateAll((all) => all.filter((e) => {
        const {left, right} = e.getBoundingClientRect();
        return left < 0 || right > innerWidth || e.scrollWidth > e.clientWidth;
      }).map((e) => e.ariaLabel ?? e.textContent));
      expect.soft(outside, `buttons cut off of ${path} at ${size.width}`).toEqual([]);
      const small = await page.locator("nav[aria-label=Pages] a:visible, nav[aria-label=Pages] button:visible").evaluateAll((all) =>
        all.filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.textContent));
      expect.soft(small, `small targets of ${path} at ${size.width}`).toEqual([]);
    }
  }
});
