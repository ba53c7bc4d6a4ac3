import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { add, type Exchange } from "venuegate";
import { Service, type LedgerRow } from "./service.js";

const runSeconds = 25;
const limitMs = 90_000;

let service: Service;
before(async () => { service = await Service.start({ quiet: false }); });
after(() => service.stop());

/** Returns the base coin that was filled on a side. These venues count quantities in base coin. */
function filled(rows: LedgerRow[], side: string): string {
  return rows.filter((row) => row.side === side).reduce((sum, row) => add(sum, row.filledQty), "0");
}

async function runBot(name: string, exchange: Exchange, symbol: string): Promise<{ orders: number; bought: string; sold: string; position: string }> {
  const script = fileURLToPath(new URL(`../examples/${name}.js`, import.meta.url));
  const env = {
    ...process.env, BASE_URL: service.demo.baseUrl, API_KEY: service.demo.apiKey, EXCHANGE: exchange, SYMBOL: symbol, SECONDS: String(runSeconds),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env, timeout: limitMs });
  return JSON.parse(stdout);
}

const bots: [name: string, exchange: Exchange, symbol: string][] = [["maker", "binance", "BTCUSDT"], ["follower", "bybit", "ETHUSDT"]];
test("the example bots end flat, and their books are equal to the ledgers", async () => {
  const results = await Promise.all(bots.map((bot) => runBot(...bot)));
  for (const [i, [name, exchange, symbol]] of bots.entries()) {
    const result = results[i]!;
    const rows = (await service.ledger(exchange)).filter((row) => row.symbol === symbol);
    const want = { orders: rows.length, bought: filled(rows, "buy"), sold: filled(rows, "sell"), position: "0" };
    assert.deepEqual(result, want, `the book of the ${name}, and the ledger of ${exchange}`);
    assert.equal(want.bought, want.sold);
    assert.notEqual(want.bought, "0", `the ${name} has not traded`);
    const { items } = await service.client().listPositions({ exchange });
    assert.deepEqual(items, [], `positions of the ${name}`);
  }
});

test("the samples of the documentation run", async () => {
  const script = fileURLToPath(new URL("../examples/samples.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, service.demoFile], { timeout: limitMs });
  assert.match(stdout, /^snapshot \[/m, "the last sample prints a book");
});
