// run.js VENUE FILE runs every case on one simulated venue, which FILE describes:
// {sim, instruments}, and for venuegate the {exchange, service} that it trades through. Each
// result is a line of JSON on standard output: {case, result: pass | fail | n/a, detail, ms}.
import { readFileSync } from 'node:fs'
import account from './cases/account.js'
import conditional from './cases/conditional.js'
import entry from './cases/entry.js'
import errors from './cases/errors.js'
import history from './cases/history.js'
import markets from './cases/markets.js'
import orders from './cases/orders.js'
import queries from './cases/queries.js'
import streams from './cases/streams.js'
import { Control } from './control.js'
import { eventually, within } from './expect.js'
import ledger, { settle } from './ledger.js'
import { balance, canonical, connect, startPrice, Trader } from './trader.js'

const suites = { markets, account, orders, entry, conditional, queries, streams, errors, history }
const caseLimitMs = 30_000
const depth = 100
const sweep = ['62500', '67500']
const topBase = 0.1

const [venueName, file] = process.argv.slice(2)
const { default: described } = await import(`./venues/${venueName}.js`)
const { sim, instruments, ...through } = JSON.parse(readFileSync(file, 'utf8'))
const venue = typeof described === 'function' ? described(through) : described
const control = new Control(sim.controlUrl)
// loaded are the markets, read once for all traders.
const loaded = await (await connect(venue, sim, sim)).loadMarkets()
const traders = []

for (const [suite, cases] of Object.entries(suites)) {
  for (const [name, run] of Object.entries(cases)) await report(`${suite}/${name}`, () => runOnce(`${suite}/${name}`, run))
}
for (const [name, compare] of Object.entries(ledger)) await report(`ledger/${name}`, () => compare(traders))
for (const name of Object.keys(venue.notApplicable)) {
  const [suite, one] = name.split('/')
  if (!suites[suite]?.[one]) await report(name, () => { throw new Error('unknown case in notApplicable') })
}
// Streams that CCXT has left open must not keep the process running.
process.exit(0)

// runOnce runs a case with its own trader on a market as at the start.
async function runOnce(name, run) {
  await resetMarket()
  const account = venue.spareAccount?.(name) ?? await control.createAccount({ balance })
  const t = new Trader(venue, sim, account, await connect(venue, sim, account, loaded))
  Object.assign(t, { name, ours: instruments })
  traders.push(t)
  try {
    return await within('the end of the case', run(t), caseLimitMs)
  } finally {
    if (venue.release) {
      await settle(t)
      await venue.release(t)
    }
    await t.close()
  }
}

// resetMarket removes the orders that the last case left in the book, and fills the
// book until both best levels have the amounts that cases trade.
async function resetMarket() {
  for (const price of sweep) await control.market({ symbol: canonical, price, depth })
  await eventually('a book with enough at the top', async () => {
    const { bidQty, askQty } = await control.market({ symbol: canonical, price: startPrice, depth })
    return Math.min(bidQty, askQty) >= topBase
  })
}

async function report(name, run) {
  const began = Date.now()
  const line = { case: name, result: 'pass' }
  const reason = venue.notApplicable[name]
  if (reason) {
    Object.assign(line, { result: 'n/a', detail: reason })
  } else {
    try {
      line.detail = await run()
    } catch (error) {
      Object.assign(line, { result: 'fail', detail: String(error.message ?? error) })
    }
  }
  line.ms = Date.now() - began
  console.log(JSON.stringify(line))
}
