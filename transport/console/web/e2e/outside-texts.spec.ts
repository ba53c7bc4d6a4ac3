import {createServer} from "node:http";
import type {AddressInfo} from "node:net";
import {ORDER, act, callAs, expect, made, pagePaths, post, settled, signIn, signal, test} from "./fixtures";

// Markup, a template, text that turns its direction, and what a spreadsheet takes for a formula.
const MARKUP = `<img src=x onerror="window.ran=1">{{7*7}}`;
const TURNED = "\u202Eabc";
const FORMULA = "=1+1";

test("texts from outside are shown as text on every page, and are no formulas in an export", async ({page, service}) => {
  test.setTimeout(180_000); // it opens every page
  const receiver = createServer((_, response) => response.writeHead(503, {"Content-Type": "text/html"}).end(MARKUP));
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  try {
    await act(service.demo);
    await signIn(page, service);
    const hook = await made(page, service, "hooks", {kind: "webhook", name: MARKUP, testMode: true, rules: {}});
    const endpoint = await made(page, service, "endpoints", {url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, name: MARKUP});
    await made(page, service, "keys", {name: MARKUP, scopes: ["read"]});
    const fired = await callAs(page, service, "POST", `hooks/${hook}/fire`, {...ORDER, action: "order", comment: MARKUP + TURNED, [MARKUP]: 1});
    expect(fired.status(), await fired.text()).toBe(202);
    await signal(service.demo, {...ORDER, action: "order", comment: "x".repeat(128)});
    await post(service.demo, `${service.demo.baseUrl}/v1/orders`, {...ORDER, type: "market", comment: FORMULA + MARKUP});
    const order = await post(service.demo, `${service.demo.baseUrl}/v1/orders`, {...ORDER, type: "limit", price: "50000", comment: MARKUP + TURNED});
    await callAs(page, service, "POST", `endpoints/${endpoint}/test`);

    const paths = [...await pagePaths(page), `/console/orders?status=all&order=${order["orderId"] as string}`, `/console/channels/${hook}`, `/console/endpoints/${endpoint}`, `/console/signals?channel=${hook}`];
    const shows = /\/(channels|endpoints|keys|signals)$|hook_|end_|ord_/;
    for (const path of paths) {
      await page.goto(service.demo.baseUrl + path);
      await settled(page);
      expect(await page.locator("img[src=x]").count(), `images of ${path}`).toBe(0);
      expect(await page.evaluate(() => "ran" in window), `a script has run on ${path}`).toBe(false);
      if (shows.test(path)) await expect(page.getByText("{{7*7}}").locator("visible=true").first(), path).toBeVisible();
    }
    await page.goto(`${service.demo.console.url}/signals?channel=${hook}`);
    await page.locator("main tbody a[href*='/signals/sig_']").first().click();
    await expect(page.locator("code").filter({hasText: MARKUP})).toBeVisible();
    const comment = page.getByText(MARKUP + TURNED).first();
    expect(await comment.evaluate((e) => getComputedStyle(e.closest(".outside") ?? e).unicodeBidi), "of a comment").toBe("isolate");

    const exported = await page.request.get(`${service.demo.console.url}/api/journal/export?format=csv`);
    const cells = (await exported.text()).split(/[\r\n,;]+/).map((cell) => cell.trim().replace(/^"/, ""));
    expect(cells.filter((cell) => /^[=+@]/.test(cell)), "cells that a spreadsheet evaluates").toEqual([]);
  } finally {
    receiver.close();
  }
});
