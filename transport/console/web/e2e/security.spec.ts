import {createServer} from "node:http";
import type {AddressInfo} from "node:net";
import {expect, pagePaths, signIn, test} from "./fixtures";

test("the cookie is closed to scripts, and every route has the policy", async ({page, service}) => {
  await signIn(page, service);
  const [cookie, ...others] = await page.context().cookies();
  expect(others).toHaveLength(0);
  expect(cookie).toMatchObject({httpOnly: true, sameSite: "Strict", path: "/"});
  for (const path of [...await pagePaths(page), "/console/sign-in", "/console/enter", "/console/api/session", "/console/api/none"]) {
    const response = await page.request.get(service.demo.baseUrl + path, {headers: {Accept: path.includes("/api/") ? "application/json" : "text/html"}});
    const headers = response.headers();
    expect(headers["content-security-policy"], path).toMatch(/^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'/);
    expect(headers, path).toMatchObject({
      "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin",
    });
  }
});

test("inline scripts and markup in strings are blocked", async ({browser, service}) => {
  const page = await (await browser.newContext()).newPage(); // one whose policy reports are expected
  await page.goto(`${service.demo.console.url}/sign-in`);
  await page.getByLabel("Login").waitFor();
  const ran = await page.evaluate(async () => {
    const state = window as {ran?: string};
    const link = document.createElement("a");
    link.href = "javascript:window.ran='link'";
    document.body.append(link);
    link.click();
    try {
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\"window.ran='markup'\">");
    } catch { /* refused */ }
    try {
      const script = document.createElement("script");
      script.text = "window.ran='script'";
      document.body.append(script);
    } catch { /* refused */ }
    await new Promise((done) => setTimeout(done, 300));
    return state.ran ?? "nothing";
  });
  expect(ran).toBe("nothing");
  await page.context().close();
});

test("pages of other sites cannot act for the user", async ({page, service, browser}) => {
  await signIn(page, service);
  const api = `${service.demo.console.url}/api`;
  const other = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<title>Another site</title>"));
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const foreign = `http://localhost:${(other.address() as AddressInfo).port}`;
  const context = await browser.newContext({storageState: await page.context().storageState()});
  try {
    const elsewhere = await context.newPage();
    await elsewhere.goto(foreign);
    const answer = await elsewhere.evaluate(async (url) => {
      try {
        return (await fetch(url, {method: "POST", credentials: "include", headers: {"X-Console": "1", "Content-Type": "application/json"}, body: "{}"})).status;
      } catch {
        return "refused";
      }
    }, `${api}/password`);
    expect(answer).toBe("refused");
    const sent = elsewhere.waitForResponse((response) => response.url().startsWith(api));
    await elsewhere.evaluate((url) => {
      const form = document.createElement("form");
      Object.assign(form, {method: "POST", action: url, enctype: "text/plain"});
      document.body.append(form);
      form.submit();
    }, `${api}/sessions`);
    expect((await sent).status()).toBeGreaterThanOrEqual(400);
  } finally {
    await context.close();
    other.close();
  }
  for (const headers of [{"Sec-Fetch-Site": "same-origin"}, {"X-Console": "1", "Sec-Fetch-Site": "cross-site"}, {"X-Console": "1"}]) {
    const response = await page.request.delete(`${api}/session`, {headers, data: {}});
    expect(response.status(), JSON.stringify(headers)).toBe(403);
  }
  const misdirected = await page.request.get(`${api}/session`, {headers: {Host: "console.example.com"}});
  expect(misdirected.status()).toBe(421);
  expect((await page.request.get(`${api}/session`)).status(), "still signed in").toBe(200);
});
