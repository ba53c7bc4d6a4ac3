// What the user sees when answers are lost, and that no order is sent twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import ccxt from 'ccxt'
import { eventually, Proxy, Service } from './service.js'

const symbol = 'BTC/USDT:USDT'
const exchanges = ['binance', 'bybit', 'okx']
let service
before(async () => { service = await Service.start() })
after(() => service.stop())

let lastPrice = 60_000
// place places an order of 0.1 BTC at a price that no other order has.
function place(exchange, params = {}, price = ++lastPrice) {
  return exchange.loadMarkets().then(() => exchange.createOrder(symbol, 'limit', 'buy', 0.1 / exchange.market(symbol).contractSize, price, params))
}

async function failure(promise, kind) {
  const error = await promise.then((value) => assert.fail(`${JSON.stringify(value)}, want an error`), (thrown) => thrown)
  assert.ok(error instanceof kind, `${error.constructor.name} ${error}, want ${kind.name}`)
  return error
}

// assertSent asserts how many orders at a price a venue has received.
async function assertSent(venue, price, want) {
  const rows = await service.sent(venue, price)
  assert.equal(rows.length, want, `orders at ${price} in the ledger of ${venue}: ${JSON.stringify(rows)}`)
}

// behindProxy runs work with a client that has read the markets, behind a proxy.
async function behindProxy(venue, work, options = {}) {
  const proxy = await Proxy.start(service.demo.baseUrl)
  const exchange = service.exchange(venue, { baseUrl: proxy.url, ...options })
  try {
    exchange.setMarkets(await service.exchange(venue).loadMarkets())
    return await work(proxy, exchange)
  } finally {
    await exchange.close()
    proxy.stop()
  }
}

const cuts = [
  ['before the request', ['cut request']],
  ['instead of the response', ['cut response']],
  ['several times', ['cut response', 'cut request', 'cut response']],
]
for (const [what, script] of cuts) {
  test(`an order is placed once where the connection is cut ${what}`, () => behindProxy('binance', async (proxy, exchange) => {
    proxy.script.push(...script)
    const order = await place(exchange)
    assert.deepEqual([order.status, order.price], ['open', lastPrice])
    assert.equal(proxy.connections, script.length + 1)
    await assertSent('binance', lastPrice, 1)
  }))
}

test('an order is placed once where the response does not come in time', () => behindProxy('okx', async (proxy, exchange) => {
  proxy.script.push('stall')
  exchange.timeout = 500
  assert.equal((await place(exchange)).status, 'open')
  await assertSent('okx', lastPrice, 1)
}))

test('an order without any answer is RequestTimeout, and placing it again with its id finds it', () => behindProxy('bybit', async (proxy, exchange) => {
  proxy.script.push('cut response', 'cut response', 'cut response', 'cut response')
  const error = await failure(place(exchange), ccxt.RequestTimeout)
  const { clientOrderId } = error
  assert.match(clientOrderId, /^ccxt-/)
  proxy.script.length = 0
  await failure(place(exchange, { clientOrderId }, lastPrice), ccxt.DuplicateOrderId)
  const found = await exchange.fetchOrder(undefined, symbol, { clientOrderId })
  assert.deepEqual([found.status, found.price], ['open', lastPrice])
  await assertSent('bybit', lastPrice, 1)
}, { settleMs: 1000 }))

test('maxRetriesOnFailure of CCXT places no second order', () => behindProxy('binance', async (proxy, exchange) => {
  proxy.script.push('cut response')
  assert.equal((await place(exchange)).price, lastPrice)
  await assertSent('binance', lastPrice, 1)
}, { maxRetriesOnFailure: 3 }))

test('a rejection after a lost answer is the outcome', () => behindProxy('binance', async (proxy, exchange) => {
  proxy.script.push('cut response')
  await failure(exchange.createOrder(symbol, 'limit', 'buy', 90, 60_000), ccxt.InsufficientFunds)
}))

test('a key that is revoked after the order was sent leaves it unknown', () => behindProxy('binance', async (proxy, exchange) => {
  const { id, apiKey } = await service.createKey()
  exchange.apiKey = apiKey
  proxy.script.push('cut response')
  const price = ++lastPrice
  const placing = failure(place(exchange, {}, price), ccxt.RequestTimeout)
  await eventually('the order at the venue', async () => (await service.sent('binance', price)).length)
  await service.admin('DELETE', `/keys/${id}`)
  const error = await placing
  assert.equal(error.cause.code, 'unauthorized')
  await assertSent('binance', price, 1)
  await failure(exchange.fetchBalance(), ccxt.AuthenticationError)
}, { settleMs: 2000 }))

test('a close is carried out once where the response is lost', () => behindProxy('okx', async (proxy, exchange) => {
  const direct = service.exchange('okx')
  await direct.createOrder('ETH/USDT:USDT', 'market', 'buy', 6)
  proxy.script.push('cut response')
  const closed = await exchange.closePosition('ETH/USDT:USDT', undefined, { amount: 2 })
  assert.deepEqual([closed.side, closed.filled, closed.info.filledQty], ['sell', 2, '0.2'])
  assert.equal((await direct.fetchPosition('ETH/USDT:USDT')).contracts, 4)
  await direct.closePosition('ETH/USDT:USDT')
}))

test('an edit and a cancel without an answer are RequestTimeout, and are sent once', () => behindProxy('binance', async (proxy, exchange) => {
  const order = await place(service.exchange('binance'))
  proxy.script.push('cut response')
  const price = ++lastPrice
  await failure(exchange.editOrder(order.id, symbol, 'limit', 'buy', undefined, price), ccxt.RequestTimeout)
  assert.equal(proxy.connections, 1)
  assert.equal((await exchange.fetchOrder(order.id, symbol)).price, price)
  proxy.cut()
  proxy.script.push('cut response')
  await failure(exchange.cancelOrder(order.id, symbol), ccxt.RequestTimeout)
  await failure(exchange.cancelOrder(order.id, symbol), ccxt.OrderNotFound)
}))

test('429 is RateLimitExceeded with the seconds to wait', async () => {
  const { apiKey } = await service.createKey()
  const exchange = service.exchange('binance', { apiKey })
  await exchange.loadMarkets()
  for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 10 }, () => exchange.cancelAllOrders('LTC/USDT:USDT')))
  const price = ++lastPrice
  const error = await failure(place(exchange, {}, price), ccxt.RateLimitExceeded)
  assert.ok(error.retryAfterSec >= 1, `${error.retryAfterSec} s, want at least 1`)
  await assertSent('binance', price, 0)
})

test('a read over a cut connection is NetworkError', () => behindProxy('binance', async (proxy, exchange) => {
  proxy.script.push('cut response')
  await failure(exchange.fetchBalance(), ccxt.NetworkError)
}))

test('orders are placed once where the service is killed between sending and answering', async () => {
  const proxy = await Proxy.start(service.demo.baseUrl)
  const clients = exchanges.map((venue) => service.exchange(venue, { baseUrl: proxy.url }))
  for (const [i, venue] of exchanges.entries()) clients[i].setMarkets(await service.exchange(venue).loadMarkets())
  const prices = exchanges.map(() => ++lastPrice)
  proxy.script.push('stall', 'stall', 'stall')
  let answers = 0
  const placing = Promise.all(clients.map((client, i) => place(client, {}, prices[i]).finally(() => { answers++ })))
  await eventually('the orders at the venues', async () => {
    const sent = await Promise.all(exchanges.map((venue, i) => service.sent(venue, prices[i])))
    return sent.every((rows) => rows.length)
  })
  await service.kill()
  assert.equal(answers, 0, 'answers before the service was killed')
  await service.serve()
  const placed = await placing
  for (const [i, { id, price }] of placed.entries()) {
    await eventually('the outcome', async () => (await clients[i].fetchOrder(id, symbol)).info.status === 'open', 60_000)
    assert.equal(price, prices[i])
    await assertSent(exchanges[i], price, 1)
  }
  proxy.stop()
})

test('while the service is down, the error is NetworkError and nothing was sent', async () => {
  const exchange = service.exchange('binance')
  await exchange.loadMarkets()
  await service.kill()
  const price = ++lastPrice
  const error = await failure(place(exchange, {}, price), ccxt.NetworkError)
  assert.ok(!(error instanceof ccxt.RequestTimeout), `${error}, want an error that is no unknown outcome`)
  await service.serve()
  await assertSent('binance', price, 0)
})
