// Plays recorded book messages to CCXT Pro's own message handler, without a
// network: argv is VENUE FILE SYMBOL MESSAGES. FILE has a message for each line,
// the first a snapshot. It writes {} when it is warm, and for each line of standard
// input a measurement {"perSecond", "bid", "ask"} of at least that many messages, with
// the best prices as text.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import ccxt from 'ccxt'

const [venue, file, id, least] = process.argv.slice(1)
const symbol = 'BTC/USDT:USDT'
const [snapshot, ...updates] = readFileSync(file, 'utf8').trim().split('\n')
const passes = Math.ceil(Number(least) / updates.length)

const exchange = new ccxt.pro[venue]()
exchange.setMarkets([{
  id, symbol, base: 'BTC', quote: 'USDT', settle: 'USDT', baseId: 'BTC', quoteId: 'USDT', settleId: 'USDT',
  type: 'swap', spot: false, swap: true, future: false, option: false, contract: true, linear: true, inverse: false,
  active: true, contractSize: 1, precision: { amount: 0.001, price: 0.1 }, limits: {},
}])

// client receives what CCXT publishes, and counts it, so that a message that CCXT
// ignored is noticed.
const client = {
  url: 'wss://fstream.binance.com/ws',
  subscriptions: { [`books:${symbol}`]: true },
  futures: {},
  resolved: 0,
  resolve() { this.resolved++ },
  reject(error) { throw error },
}

// begin loads the snapshot. Binance sends none: CCXT would request it by REST.
function begin() {
  delete exchange.orderbooks[symbol]
  const message = JSON.parse(snapshot)
  if (venue !== 'binance') return exchange.handleMessage(client, message)
  exchange.orderbooks[symbol] = exchange.orderBook({}, 1000)
  exchange.orderbooks[symbol].reset({ ...exchange.parseOrderBook(message, symbol, message.T, 'b', 'a'), nonce: message.u })
}

function measure() {
  let took = 0n
  client.resolved = 0
  for (let pass = 0; pass < passes; pass++) {
    begin()
    const begun = process.hrtime.bigint()
    for (const update of updates) exchange.handleMessage(client, JSON.parse(update))
    took += process.hrtime.bigint() - begun
  }
  const messages = passes * updates.length
  if (client.resolved < messages) throw new Error(`CCXT took ${client.resolved} of ${messages} messages`)
  const { bids, asks } = exchange.orderbooks[symbol]
  return { perSecond: messages / (Number(took) / 1e9), bid: String(bids[0][0]), ask: String(asks[0][0]) }
}

measure() // what the compiler learns, it has learnt
console.log('{}')
for await (const _ of createInterface({ input: process.stdin })) console.log(JSON.stringify(measure()))
