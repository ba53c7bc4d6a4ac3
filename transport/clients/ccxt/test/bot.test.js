import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Service } from './service.js'

const script = fileURLToPath(new URL('../examples/bot.js', import.meta.url))
const limitMs = 60_000

let service
before(async () => { service = await Service.start({ isQuiet: false }) })
after(() => service.stop())

// filled returns what was filled on a side, in millionths of the unit of the venue.
const filled = (rows, side) => rows.filter((row) => row.side === side).reduce((sum, row) => sum + Math.round(Number(row.filledQty) * 1e6), 0)

for (const exchange of ['binance', 'bybit', 'okx']) {
  test(`the moved bot trades on ${exchange} and ends flat`, async () => {
    const env = { ...process.env, BASE_URL: service.demo.baseUrl, API_KEY: service.demo.apiKey, EXCHANGE: exchange, SECONDS: '8' }
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env, timeout: limitMs })
    const { orders } = await service.control(exchange).call('GET', '/ledger')
    assert.deepEqual(JSON.parse(stdout), { orders: orders.length, position: 0 })
    assert.ok(orders.length >= 2, `${orders.length} orders, want an entry and an exit`)
    assert.equal(filled(orders, 'buy'), filled(orders, 'sell'))
  })
}
