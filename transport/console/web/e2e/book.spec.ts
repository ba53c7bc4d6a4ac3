import type {Page, WebSocketRoute} from "@playwright/test";
import {expect, signIn, test} from "./fixtures";
import type {Service} from "./service";

interface Frame {
  readonly channel?: string;
  readonly type?: string;
  readonly seq?: number;
  readonly data?: unknown;
}

interface Routed {
  /** Returns what the page gets of a message of the service: the same, others, or nothing. */
  filter: (message: Frame, text: string) => readonly string[];
  /** The connection to the page. */
  socket: WebSocketRoute | undefined;
  /** The connections that are open. */
  readonly open: Set<WebSocketRoute>;
}

// routed lets a test change what the page receives of the stream.
async function routed(page: Page): Promise<Routed> {
  const route: Routed = {filter: (_, text) => [text], socket: undefined, open: new Set()};
  await page.routeWebSocket("**/v1/stream", (socket) => {
    const server = socket.connectToServer();
    route.socket = socket;
    route.open.add(socket);
    socket.onClose((code, reason) => {
      route.open.delete(socket);
      void server.close({code: code ?? 1000, reason: reason ?? ""});
    });
    server.onClose((code, reason) => {
      route.open.delete(socket);
      void socket.close({code: code ?? 1000, reason: reason ?? ""});
    });
    server.onMessage((text) => {
      for (const message of route.filter(JSON.parse(`${text}`) as Frame, `${text}`)) socket.send(message);
    });
  });
  return route;
}

const BOOK = "book:binance:BTCUSDT:10";
const TRADES = "trades:binance:BTCUSDT";

async function openBook(page: Page, service: Service): Promise<void> {
  await signIn(page, service);
  await page.goto(`${service.demo.console.url}/trade/binance/BTCUSDT`);
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
}

test("a break in the sequence hatches the book until a snapshot, and leaves a mark among the trades", async ({page, service}) => {
  const stream = await routed(page);
  await openBook(page, service);
  const book = page.getByRole("region", {name: "Order book"});
  const pattern = () => book.locator("table").evaluate((table) => getComputedStyle(table.parentElement ?? table).backgroundImage);
  expect(await pattern(), "background of a current book").toBe("none");

  let lost = false;
  let isHeld = true;
  const held: string[] = [];
  stream.filter = (message, text) => {
    if (message.channel !== BOOK) return [text];
    if (!lost && message.type === "delta") {
      lost = true;
      return [];
    }
    if (lost && isHeld && message.type === "snapshot") {
      held.push(text);
      return [];
    }
    return isHeld && held.length > 0 ? (held.push(text), []) : [text];
  };
  await expect(book.locator("[data-state=stale]")).toContainText("Book not current since");
  expect(await pattern(), "background of a book that is not current").toContain("repeating-linear-gradient");

  // A market order asks once more, and the safe button has the focus.
  const ticket = page.getByRole("region", {name: "Order ticket"});
  await ticket.getByLabel("Type").selectOption("market");
  await ticket.getByLabel("Quantity", {exact: true}).fill("0.01");
  await ticket.getByRole("button", {name: "Buy 0.01 BTC · sim"}).click();
  await page.getByRole("group", {name: "Review of the order"}).getByRole("button", {name: "Buy 0.01 BTC · sim"}).click();
  const question = page.getByRole("dialog", {name: "Place it without a current book?"});
  await expect(question.getByRole("button", {name: "Keep"})).toBeFocused();
  await question.getByRole("button", {name: "Keep"}).click();
  await expect(ticket.locator("[data-outcome]")).toHaveCount(0);

  await expect.poll(() => held.length, {message: "snapshots that were asked for"}).toBeGreaterThan(0);
  isHeld = false;
  for (const text of held.splice(0)) stream.socket?.send(text);
  await expect(book.locator("[data-state=live]")).toBeVisible();
  expect(await pattern(), "background after the snapshot").toBe("none");

  let skipped = false;
  stream.filter = (message, text) => {
    if (message.channel !== TRADES || skipped) return [text];
    skipped = true;
    return [];
  };
  const trades = page.getByRole("region", {name: "Trades"});
  await expect(trades.getByText("an unknown number missed")).toBeVisible({timeout: 30_000});
  await expect(trades.locator("[data-state=live]")).toBeVisible();
});

test("a hole that the venue reports hatches the book and the last price of a lost connection", async ({page, service}) => {
  const stream = await routed(page);
  await openBook(page, service);
  await stream.socket?.close({code: 1012, reason: "restart"});
  await Promise.all([ // until it is connected again, soon
    expect(page.getByText(/^not current since \d\d:\d\d:\d\d$/)).toBeVisible(),
    expect(page.getByLabel("Order book").getByText(/not connected, next attempt at/)).toBeVisible(),
  ]);
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
  await expect(page.getByText(/^not current since/)).toBeHidden();
});

const UPDATES_PER_SECOND = 200;
const LOAD_SECONDS = 60;
const WARM_UP_SECONDS = 10;

/** Budgets of the live book. Those of time hold on a machine that nothing else uses. */
const limits = {paintP50: 2, paintP99: 4, frameP99: 34, scriptFrame: 50, heapBytes: 2 << 20};

interface Measured {
  readonly paints: readonly number[];
  readonly frames: readonly number[];
  readonly scripts: readonly number[];
}

// measure makes the page keep how long its painters, its frames and its scripts take.
function measure(): void {
  const kept: {paints: number[]; frames: number[]; scripts: number[]} = {paints: [], frames: [], scripts: []};
  Object.assign(window, {measured: kept});
  const real = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (paint) => real((time) => {
    const start = performance.now();
    paint(time);
    kept.paints.push(performance.now() - start);
  });
  let last = 0;
  const frame = (time: number) => {
    if (last > 0) kept.frames.push(time - last);
    last = time;
    real(frame);
  };
  real(frame);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {scripts: {duration: number; sourceURL: string}[]})[]) {
      kept.scripts.push(entry.scripts.filter(({sourceURL}) => sourceURL.includes("/console/assets/")).reduce((sum, {duration}) => sum + duration, 0));
    }
  }).observe({type: "long-animation-frame"});
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? 0;
}

// isQuiet reports whether fixed work takes about the same time always, so that times can be judged.
function isQuiet(): boolean {
  const times: number[] = [];
  for (let run = 0; run < 300; run++) {
    const start = performance.now();
    let work = 0;
    for (let n = 0; n < 200_000; n++) work += n % 7;
    if (work > 0) times.push(performance.now() - start);
  }
  return percentile(times, 99) < 3 * percentile(times, 50) + 0.5;
}

test("200 updates a second for a minute stay within the budgets; a hidden page is disconnected and comes back", async ({page, service}) => {
  test.setTimeout(480_000);
  const stream = await routed(page);
  let seq: number | undefined;
  let best: readonly [string, string][] = [];
  stream.filter = (message, text) => {
    if (message.channel !== BOOK) return [text];
    if (message.type === "snapshot") {
      seq = message.seq;
      best = (message.data as {bids: [string, string][]}).bids;
      return [text];
    }
    return []; // the test makes its own
  };
  await page.addInitScript(measure);
  await openBook(page, service);
  await expect.poll(() => seq).toBeDefined();
  const cdp = await page.context().newCDPSession(page);
  const weigh = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    const {usedSize} = await cdp.send("Runtime.getHeapUsage");
    return {heap: usedSize, nodes: await page.getByRole("region", {name: "Order book"}).evaluate((e) => e.querySelectorAll("*").length), all: (await cdp.send("Memory.getDOMCounters")).nodes};
  };
  let sent = 0;
  const update = () => {
    const [price] = best[sent % best.length] ?? ["1", "1"];
    seq = (seq ?? 0) + 1;
    const qty = `${1 + sent % 9}.${100 + sent++ % 900}`;
    stream.socket?.send(JSON.stringify({channel: BOOK, type: "delta", seq, ts: new Date().toISOString(), venueTs: null, data: {bids: [[price, qty]], asks: []}}));
  };
  const load = async (seconds: number) => {
    const start = Date.now();
    const goal = sent + seconds * UPDATES_PER_SECOND;
    while (sent < goal) {
      const due = goal - seconds * UPDATES_PER_SECOND + Math.floor((Date.now() - start) / 1000 * UPDATES_PER_SECOND);
      while (sent < Math.min(due, goal)) update();
      await new Promise((done) => setTimeout(done, 5));
    }
  };
  const wasQuiet = isQuiet();
  await load(WARM_UP_SECONDS);
  const before = await weigh();
  await page.evaluate(() => { for (const list of Object.values((window as unknown as {measured: Record<string, number[]>}).measured)) list.length = 0; });
  await load(LOAD_SECONDS - WARM_UP_SECONDS);
  const measured = await page.evaluate(() => (window as unknown as {measured: Measured}).measured);
  const after = await weigh();
  const quiet = wasQuiet && isQuiet();
  const figures = {
    quiet, sent, heapGrowth: after.heap - before.heap, nodesBefore: before.all, nodesAfter: after.all,
    paintP50: percentile(measured.paints, 50), paintP99: percentile(measured.paints, 99), frameP99: percentile(measured.frames, 99), longestScript: Math.max(0, ...measured.scripts),
  };
  test.info().annotations.push({type: "figures", description: JSON.stringify(figures)});
  console.log(`live book: ${JSON.stringify(figures)}`);
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
  expect(figures.heapGrowth, "growth of the heap, bytes").toBeLessThanOrEqual(limits.heapBytes);
  expect(after.nodes, "elements of the book").toBe(before.nodes);
  expect(figures.paintP50, "a paint, p50 ms").toBeLessThanOrEqual(limits.paintP50);
  if (quiet) {
    expect(figures.paintP99, "a paint, p99 ms").toBeLessThanOrEqual(limits.paintP99);
    expect(figures.frameP99, "a frame, p99 ms").toBeLessThanOrEqual(limits.frameP99);
    expect(figures.longestScript, "scripts of a frame, ms").toBeLessThanOrEqual(limits.scriptFrame);
  }

  const setVisibility = (state: "hidden" | "visible") => page.evaluate((to) => {
    Object.defineProperty(document, "visibilityState", {configurable: true, get: () => to});
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
  stream.filter = (_, text) => [text];
  await setVisibility("hidden");
  await new Promise((done) => setTimeout(done, 50_000));
  await expect.poll(() => stream.open.size, {message: "connections before a minute"}).toBe(1);
  await expect.poll(() => stream.open.size, {message: "connections after a minute", timeout: 20_000}).toBe(0);
  let requests = 0;
  page.on("request", () => requests++);
  await new Promise((done) => setTimeout(done, 10_000));
  expect(requests, "requests of a hidden page in 10 s").toBe(0);
  await setVisibility("visible");
  await expect(page.getByLabel("Order book").locator("[data-state=live]")).toBeVisible();
});
