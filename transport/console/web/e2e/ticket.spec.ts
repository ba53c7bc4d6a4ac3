import type {Locator, Page} from "@playwright/test";
import type {Instrument, OrderCheck} from "../src/api/types";
import {emptyDraft, faultsOf, isComplete, requestOf, type Draft, type Field} from "../src/pages/trade/draft";
import {expect, signIn, test} from "./fixtures";
import type {Service} from "./service";

const TICKETS = 200;
/** So many checks the limit of the demo's key permits at a time. */
const RETRY_MILLISECONDS = 1_000;

// openTrade opens the page of an instrument with its order book, and returns its ticket.
async function openTrade(page: Page, service: Service, path = "binance/BTCUSDT"): Promise<Locator> {
  await signIn(page, service);
  await page.goto(`${service.demo.console.url}/trade/${path}`);
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
  return page.getByRole("region", {name: "Order ticket"});
}

// random returns a generator of numbers from 0 to below a limit (mulberry32).
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

// randomDraft returns a ticket that is often right. Entries are away from the market, so that only the ticket decides.
function randomDraft(next: (below: number) => number): Draft {
  const pick = <T>(...values: readonly T[]) => values[next(values.length)] as T;
  const side = pick("buy", "sell");
  const type = pick<Draft["type"]>("limit", "limit", "limit", "stop_limit", "stop_market");
  const isStop = type !== "limit";
  // A stop that buys is above the market, a limit that buys below.
  const entry = (side === "buy") === isStop ? pick("70000", "71000.5", "80000", "70000.05") : pick("50000", "58000.5", "60000", "60000.123");
  return {
    ...emptyDraft, side, type, timeInForce: pick("gtc", "gtc", "ioc", "fok"), reduceOnly: next(8) === 0, postOnly: next(6) === 0,
    qty: pick("0.01", "0.02", "0.1", "1", "0.0105", "0.0001", "0.00000001", "123456789", "0.001", "1.0"),
    price: entry, triggerPrice: isStop ? entry : "",
    stopLoss: pick("", "", "45000", "90000", "45000.01", "65000"), takeProfit: pick("", "", "45000", "90000", "90000.05", "65000"),
  };
}

// checked returns what the service finds about an order, once the limit of the key permits it.
async function checked(service: Service, request: object): Promise<OrderCheck> {
  for (;;) {
    const {status, body} = await service.api<OrderCheck>("POST", "orders/check", request);
    if (status === 200) return body;
    expect(status, JSON.stringify(body)).toBe(429);
    await new Promise((done) => setTimeout(done, RETRY_MILLISECONDS));
  }
}

// What a ticket cannot see: the price of the market, and what the customer has.
const ofTheMarket = new Set(["would_trigger", "price_band"]);

test("the ticket and the check of the service agree over 200 random tickets", async ({service}) => {
  test.setTimeout(300_000);
  const seed = Date.now() % 2 ** 31;
  const next = random(seed);
  const {body: {items}} = await service.api<{items: Instrument[]}>("GET", "instruments?exchange=binance&limit=1000");
  const instrument = items.find(({symbol}) => symbol === "BTCUSDT");
  if (!instrument) throw new Error("BTCUSDT is not listed");
  const refused = {by: 0, passed: 0};
  for (let n = 0; n < TICKETS; n++) {
    const draft = randomDraft(next);
    expect(isComplete(draft)).toBe(true);
    const found = faultsOf(draft, instrument);
    const own = Object.keys(found) as Field[];
    const {faults} = await checked(service, requestOf(draft, instrument));
    const what = `seed ${seed}, ticket ${n}: ${JSON.stringify(draft)}, the service finds ${JSON.stringify(faults)}`;
    // The service looks at steps and limits only when the prices are on the right sides, and at the value only when all else is right; the ticket looks at all at once.
    const looksAtSides = faults.some(({rule}) => rule === "wrong_side");
    const isLater = (field: Field) => looksAtSides || (faults.length > 0 && found[field]?.text.startsWith("Worth at least"));
    expect.soft(own.filter((name) => !isLater(name) && !faults.some(({field}) => field === name)), `faults of the ticket alone, ${what}`).toEqual([]);
    const unseen = faults.filter(({field, rule}) => !ofTheMarket.has(rule) && !own.some((name) => name === field));
    expect.soft(unseen, `faults of the service alone, ${what}`).toEqual([]);
    if (own.length > 0) refused.by++;
    else refused.passed++;
  }
  expect(Math.min(refused.by, refused.passed), `tickets of each kind, seed ${seed}`).toBeGreaterThan(TICKETS / 10);
});

test("what is off the steps is named with the nearest values before anything is sent", async ({page, service}) => {
  const ticket = await openTrade(page, service);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/v1/orders")) sent.push(request.postData() ?? "");
  });
  await ticket.getByLabel("Price", {exact: true}).fill("50000.04");
  await ticket.getByLabel("Quantity", {exact: true}).fill("0.0105");
  await expect(ticket.getByText("Not a multiple of 0.1.")).toBeVisible();
  await expect(ticket.getByText("Not a multiple of 0.001.")).toBeVisible();
  await expect(ticket.getByRole("button", {name: "Fill in the order"})).toBeDisabled();
  await ticket.getByRole("button", {name: "50000.1", exact: true}).click();
  await ticket.getByRole("button", {name: "0.010", exact: true}).click();
  await expect(ticket.getByText("passes the checks of the service")).toBeVisible();
  await ticket.getByRole("button", {name: "Buy 0.010 BTC · sim"}).click();
  await page.getByRole("group", {name: "Review of the order"}).getByRole("button", {name: "Buy 0.010 BTC · sim"}).click();
  await expect(ticket.locator("[data-outcome=placed]")).toContainText("open");
  expect(sent.map((body) => JSON.parse(body) as object)).toMatchObject([{qty: "0.010", price: "50000.1"}]);
});

test("a share of the available balance is exact", async ({page, service}) => {
  const ticket = await openTrade(page, service, "okx/ETHUSDT");
  await ticket.getByLabel("Price", {exact: true}).fill("1000");
  await ticket.getByRole("group", {name: "Part of the available balance"}).getByRole("button", {name: "25 %"}).click();
  const {available} = await checked(service, {exchange: "okx", symbol: "ETHUSDT", side: "buy", type: "limit", qty: "0.01", price: "1000"});
  const {body: {items}} = await service.api<{items: Instrument[]}>("GET", "instruments?exchange=okx&limit=1000");
  const {qtyStep} = items.find(({symbol}) => symbol === "ETHUSDT") ?? {qtyStep: ""};
  const qty = ticket.getByLabel("Quantity", {exact: true});
  await expect(qty).toHaveValue(/^\d+(\.\d+)?$/);
  // In units of 18 decimals: the value is at most a quarter of the balance, and one step more would not be.
  const units = (text: string) => BigInt(text.split(".")[0] + (text.split(".")[1] ?? "").padEnd(18, "0"));
  const quarter = units(available ?? "") / 4n;
  expect(units(await qty.inputValue()) * 1000n <= quarter, "the value is at most a quarter").toBe(true);
  expect((units(await qty.inputValue()) + units(qtyStep)) * 1000n > quarter, "one step more is above it").toBe(true);
});

test("an answer that is lost between page and service is found by its request id, and the order exists once", async ({page, service}) => {
  const ticket = await openTrade(page, service, "bybit/BTCUSDT");
  const before = (await service.ledger("bybit")).length;
  let cut = false;
  await page.route("**/v1/orders", async (route) => {
    if (route.request().method() !== "POST" || cut) return route.fallback();
    cut = true;
    await route.fetch(); // the service has placed it
    await route.abort("connectionreset");
  });
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => { release = done; });
  await page.route("**/v1/orders?requestId=*", async (route) => {
    await held;
    await route.continue();
  });
  await ticket.getByLabel("Price", {exact: true}).fill("50000");
  await ticket.getByLabel("Quantity", {exact: true}).fill("0.013");
  await ticket.getByRole("button", {name: "Buy 0.013 BTC · sim"}).click();
  await page.getByRole("group", {name: "Review of the order"}).getByRole("button", {name: "Buy 0.013 BTC · sim"}).click();
  await expect(ticket.locator("[data-outcome=unknown]")).toContainText("Outcome not received");
  await expect(ticket.getByRole("button", {name: "Buy 0.013 BTC · sim"})).toBeDisabled();
  release();
  await expect(ticket.locator("[data-outcome=placed]")).toContainText("open");
  expect(await service.ledger("bybit")).toHaveLength(before + 1);
});

test("an order whose outcome is unknown is marked, counted and timed until it is known", async ({page, own}) => {
  test.setTimeout(120_000);
  const ticket = await openTrade(page, own);
  await own.fault("binance", {match: {path: "/fapi/v1/order", op: "GET"}, do: "status", args: {status: 503}, times: 10_000});
  await own.fault("binance", {match: {path: "/fapi/v1/order", op: "POST"}, do: "timeout_before", times: 1});
  await ticket.getByLabel("Price", {exact: true}).fill("50000");
  await ticket.getByLabel("Quantity", {exact: true}).fill("0.01");
  await ticket.getByRole("button", {name: "Buy 0.01 BTC · sim"}).click();
  await page.getByRole("group", {name: "Review of the order"}).getByRole("button", {name: "Buy 0.01 BTC · sim"}).click();
  const row = page.getByRole("region", {name: "Open orders"}).locator("tbody tr");
  await expect(row).toContainText(/unknown \d\d:\d\d/);
  const count = page.getByRole("banner").getByRole("link", {name: "◆ 1"});
  await expect(count).toBeVisible();
  const mark = row.locator("span", {hasText: /^◆ unknown/}).first();
  expect(await mark.evaluate((e) => getComputedStyle(e).borderStyle), "border of the mark").toBe("dashed");
  await own.fault("binance");
  await expect(count).toBeHidden({timeout: 60_000});
});
