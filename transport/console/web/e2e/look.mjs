import {chromium} from "@playwright/test";
import fs from "node:fs";
const demo = JSON.parse(fs.readFileSync("/tmp/h/look/d/demo.json"));
const key = demo.apiKey, base = demo.baseUrl;
const post = (p, b) => fetch(base + p, {method: "POST", headers: {Authorization: `Bearer ${key}`, "Content-Type": "application/json"}, body: JSON.stringify(b)}).then(r => r.json());
if (process.argv[2] === "seed") {
  for (const [e, s, q] of [["binance", "BTCUSDT", "0.02"], ["okx", "ETHUSDT", "0.3"], ["bybit", "BTCUSDT", "0.01"]])
    console.log((await post("/v1/orders", {exchange: e, symbol: s, side: "buy", type: "market", qty: q, ...(e === "binance" ? {stopLoss: "50000", takeProfit: "90000"} : {})})).status);
  for (let i = 0; i < 12; i++) await post("/v1/orders", {exchange: "binance", symbol: "BTCUSDT", side: "buy", type: "limit", qty: "0.003", price: String(50000 + i * 100), comment: i % 3 ? "grid" : "x".repeat(250)});
  process.exit(0);
}
const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]});
const pages = (process.argv[2] ?? "overview,trade/binance/BTCUSDT,orders,positions,accounts,risk,notifications,alerts,channels,keys,journal").split(",");
const sizes = (process.argv[3] ?? "1440").split(",").map(Number);
const themes = (process.argv[4] ?? "light,dark").split(",");
for (const theme of themes) for (const width of sizes) {
  const context = await browser.newContext({viewport: {width, height: width < 500 ? 844 : 900}, colorScheme: theme});
  const page = await context.newPage();
  page.on("console", (m) => { if (m.type() === "error") console.log("console:", m.text()); });
  page.on("pageerror", (e) => console.log("pageerror:", e.message));
  await page.goto(demo.console.url);
  await page.getByLabel(/login|user/i).first().fill(demo.console.user);
  await page.locator("input[type=password]").fill(demo.console.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/overview/);
  for (const p of pages) {
    await page.goto(`${demo.console.url.replace(/\/$/, "")}/${p}`);
    await page.waitForTimeout(3500);
    await page.screenshot({path: `/tmp/h/look/${p.replaceAll("/", "-")}-${width}-${theme}.png`, fullPage: width < 500});
  }
  await context.close();
}
await browser.close();
