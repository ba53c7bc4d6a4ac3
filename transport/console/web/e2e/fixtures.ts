import {createHmac} from "node:crypto";
import {expect, test as base, type APIResponse, type Page} from "@playwright/test";
import {Service, type Demo} from "./service";

/** The password of the users that tests invite. */
export const PASSWORD = "correct horse battery staple";

interface Own {
  /** A service that the test does not share. */
  readonly own: Service;
}

interface Shared {
  readonly service: Service;
}

/** Tests with a service. A page fails its test if it logs an error, if its policy blocks something, and if it loads something from elsewhere. */
export const test = base.extend<Own, Shared>({
  service: [async ({}, use) => {
    const service = await Service.start();
    await use(service);
    await service.close();
  }, {scope: "worker"}],
  own: async ({}, use) => {
    const service = await Service.start();
    await use(service);
    await service.close();
  },
  page: async ({page}, use) => {
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      // Chromium logs each response of 400 and above, and connections that break.
      if (message.type() === "error" && !/Failed to load resource|ERR_CONNECTION|WebSocket connection/.test(message.text())) faults.push(message.text());
    });
    await page.addInitScript(() => addEventListener("securitypolicyviolation",
      (e) => { console.error(`policy: ${e.effectiveDirective} ${e.blockedURI}`); }));
    page.on("request", (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url())) faults.push(`request of ${request.url()}`);
    });
    await use(page);
    expect(faults, "faults of the page").toEqual([]);
  },
});

export {expect};

/** Signs a user in with a password, and leaves the page that opens. */
export async function signIn(page: Page, service: Service, user = service.demo.console.user, password = service.demo.console.password): Promise<void> {
  await page.goto(`${service.demo.console.url}/sign-in`);
  await page.getByLabel("Login").fill(user);
  await page.getByRole("textbox", {name: "Password"}).fill(password);
  await page.getByRole("button", {name: "Sign in"}).click();
  await page.getByRole("heading", {level: 1}).waitFor();
  await expect(page).not.toHaveURL(/sign-in/);
}

/** Opens the link of an invitation, sets the password, and leaves the second step for later. */
export async function enter(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("textbox", {name: "Password"}).fill(PASSWORD);
  await page.getByLabel("Once more").fill(PASSWORD);
  await page.getByRole("button", {name: "Go on"}).click();
  await page.getByRole("button", {name: "Later"}).click();
  await page.getByRole("heading", {level: 1}).waitFor();
}

/** Signs an operator in at the administration listener, with the link that the command prints. */
export async function enterAsOperator(page: Page, service: Service): Promise<void> {
  const printed = await service.command("console", "login", "--operator");
  await enter(page, printed.split("\n")[0] ?? "");
}

/** Confirms with the password in the dialog that important acts ask for. */
export async function stepUp(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole("dialog", {name: "Confirm that it is you"});
  await dialog.getByRole("textbox", {name: "Password"}).fill(password);
  await dialog.getByRole("button", {name: "Confirm"}).click();
  await expect(dialog).toBeHidden();
}

/** Sends a request as a program of the customer does, and returns the body of the response. */
export async function post(demo: Demo, url: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, {method: "POST", headers: {"Authorization": `Bearer ${demo.apiKey}`, "Content-Type": "application/json"}, body: JSON.stringify(body)});
  const text = await answer.text();
  expect(answer.ok, `POST ${url}: ${text}`).toBe(true);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** An order of 0.01 BTC. */
export const ORDER = {exchange: "binance", symbol: "BTCUSDT", side: "buy", qty: "0.01"} as const;

/** Fills the lists: an open order, a filled one, and a signal, each with its events. */
export async function act(demo: Demo): Promise<void> {
  await post(demo, `${demo.baseUrl}/v1/orders`, {...ORDER, type: "limit", price: "50000"});
  await post(demo, `${demo.baseUrl}/v1/orders`, {...ORDER, type: "market"});
  await signal(demo, {...ORDER, action: "order"});
}

/** Sends a signal as a charting platform does. */
export async function signal(demo: Demo, body: object): Promise<void> {
  await post(demo, demo.chart.url, {...body, time: new Date().toISOString(), channelToken: demo.chart.channelToken});
}

/** Makes a call of the console as its pages do. */
export function callAs(page: Page, service: Service, method: "GET" | "POST" | "PATCH" | "DELETE", path: string, data: object = {}): Promise<APIResponse> {
  return page.request.fetch(`${service.demo.console.url}/api/${path}`, {method, headers: {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}, ...(method !== "GET" && {data})});
}

/** Makes a record as the user of a page does, and returns its id. */
export async function made(page: Page, service: Service, path: string, data: object): Promise<string> {
  const response = await callAs(page, service, "POST", path, data);
  expect(response.ok(), `POST ${path}: ${await response.text()}`).toBe(true);
  return (await response.json() as {id: string}).id;
}

/** Returns the paths of the pages that the navigation shows, such as "/console/keys". */
export async function pagePaths(page: Page): Promise<string[]> {
  const hrefs = await page.locator("nav[aria-label=Pages]").first().getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  expect(hrefs.length, "pages in the navigation").toBeGreaterThanOrEqual(3);
  return hrefs;
}

/** Waits until a page shows its content: nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", {level: 1}).waitFor();
  await expect(page.getByLabel("Loading")).toHaveCount(0);
}

/** Returns the code of an authenticator (RFC 6238) that many steps of 30 seconds from now. */
export function codeOf(secret: string, stepsAhead = 0): string {
  const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsAhead));
  const digest = createHmac("sha1", key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
