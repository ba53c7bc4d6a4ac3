import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import ccxt from 'ccxt'
import { eventually, Proxy, Service } from './service.js'

const symbol = 'BTC/USDT:USDT'
let service
before(async () => { service = await Service.start() })
after(() => service.stop())

// watching runs work with a client behind a proxy, and closes both.
async function watching(venue, work, options = {}) {
  const proxy = await Proxy.start(service.demo.baseUrl)
  const exchange = service.exchange(venue, { baseUrl: proxy.url, ...options })
  await exchange.loadMarkets()
  try {
    await work(exchange, proxy)
  } finally {
    await exchange.close()
    proxy.stop()
  }
}

async function failure(promise, kind) {
  const error = await promise.then((value) => assert.fail(`${JSON.stringify(value)}, want an error`), (thrown) => thrown)
  assert.ok(error instanceof kind, `${error.constructor.name} ${error}, want ${kind.name}`)
  return error
}

test('a cut connection is NetworkError, and the next call continues with the current book', () => watching('binance', async (exchange, proxy) => {
  await exchange.watchOrderBook(symbol)
  await service.control('binance').trade('BTCUSDT', 'buy', '0.001')
  await exchange.watchOrderBook(symbol)
  const waiting = failure(exchange.watchOrderBook(symbol), ccxt.NetworkError)
  proxy.cut()
  await waiting
  assert.equal(exchange.orderbooks[symbol], undefined, 'the book of the lost connection is kept')
  const { bids, asks } = await exchange.watchOrderBook(symbol)
  assert.ok(bids[0][0] < asks[0][0], `bid ${bids[0]}, ask ${asks[0]}`)
}))

test('orders that end while the connection is lost are not missed', () => watching('okx', async (exchange, proxy) => {
  const direct = service.exchange('okx')
  const first = exchange.watchOrders(symbol)
  const kept = await eventually('an order on the stream', async () => {
    const { id } = await direct.createOrder(symbol, 'limit', 'buy', 10, 60_001)
    const seen = await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 200))])
    return seen && id
  })
  const waiting = failure(exchange.watchOrders(symbol), ccxt.NetworkError)
  proxy.cut()
  await waiting
  const seen = new Map()
  await direct.cancelOrder(kept, symbol)
  const { id: traded } = await direct.createOrder(symbol, 'market', 'buy', 1)
  await eventually('both orders', async () => {
    for (const order of await exchange.watchOrders(symbol)) seen.set(order.id, order.status)
    return seen.get(kept) === 'canceled' && seen.get(traded) === 'closed'
  })
  await direct.cancelAllOrders(symbol)
  await direct.closePosition(symbol)
}))

test('a fill is returned once, with its fee', () => watching('bybit', async (exchange) => {
  const direct = service.exchange('bybit')
  const fills = []
  const reading = (async () => {
    while (fills.length < 2) fills.push(...await exchange.watchMyTrades(symbol))
  })()
  await eventually('the orders on the stream', () => Object.values(exchange.clients)[0]?.subscriptions.orders?.seq !== undefined)
  const { id: bought } = await direct.createOrder(symbol, 'market', 'buy', 0.01)
  const { id: sold } = await direct.closePosition(symbol)
  await reading
  assert.deepEqual(fills.map(({ order, side, amount }) => [order, side, amount]), [[bought, 'buy', 0.01], [sold, 'sell', 0.01]])
  assert.ok(fills.every(({ fee }) => fee.cost > 0 && fee.currency === 'USDT'))
}))

test('a change between two calls is returned by the next', () => watching('binance', async (exchange) => {
  const first = exchange.watchOrders(symbol)
  await eventually('the orders on the stream', () => Object.values(exchange.clients)[0]?.subscriptions.orders?.seq !== undefined)
  const { id } = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 60_002)
  await first
  await exchange.cancelOrder(id, symbol)
  await eventually('the cancellation on the stream', () => exchange.orders.byId(id).status === 'canceled')
  const [order] = await exchange.watchOrders(symbol)
  assert.deepEqual([order.id, order.status], [id, 'canceled'])
}))

test('lost messages of the service are InvalidNonce, and the next call has a new book', () => watching('bybit', async (exchange) => {
  await exchange.watchOrderBook(symbol)
  const client = Object.values(exchange.clients)[0]
  const topic = Object.keys(client.subscriptions).find((name) => name.startsWith('book:'))
  client.subscriptions[topic].seq -= 1
  const waiting = failure(exchange.watchOrderBook(symbol), ccxt.InvalidNonce)
  await service.control('bybit').trade('BTCUSDT', 'sell', '0.001')
  await waiting
  assert.equal(exchange.orderbooks[symbol], undefined)
  const { bids, asks } = await exchange.watchOrderBook(symbol)
  assert.ok(bids[0][0] < asks[0][0])
}))

test('trades that were lost are InvalidNonce, and trades continue', () => watching('binance', async (exchange) => {
  const trades = []
  const read = async () => {
    for (;;) trades.push(...await exchange.watchTrades(symbol))
  }
  const traded = async () => {
    const before = trades.length
    await service.control('binance').trade('BTCUSDT', 'buy', '0.001')
    return eventually('a trade', () => trades.length > before, 500).catch(() => false)
  }
  const losses = [
    ['7 trades', (seq) => ({ type: 'gap', seq: seq + 7, missed: 7 })],
    ['follows', (seq) => ({ type: 'update', seq: seq + 7, data: { id: '1', price: '65000', qty: '0.5', side: 'buy', ts: null } })],
  ]
  for (const [reason, frame] of losses) {
    const reading = failure(read(), ccxt.InvalidNonce)
    await eventually('trades', traded)
    const client = Object.values(exchange.clients)[0]
    const topic = Object.keys(client.subscriptions).find((name) => name.startsWith('trades:'))
    const subscription = client.subscriptions[topic]
    const { seq } = subscription
    exchange.handleMessage(client, { channel: topic, ts: '2026-11-20T09:19:00.123Z', venueTs: null, ...frame(seq) })
    assert.match((await reading).message, new RegExp(reason))
    subscription.seq = seq
  }
}))

test('a wrong key and a missing scope are errors of authentication', async () => {
  await watching('binance', async (exchange) => {
    exchange.apiKey = 'vgk_wrong'
    await failure(exchange.watchOrders(), ccxt.AuthenticationError)
  })
  const { apiKey } = await service.createKey(['read'])
  await watching('binance', (exchange) => failure(exchange.watchBalance(), ccxt.PermissionDenied), { apiKey })
})

test('a key that is revoked ends the stream, and the next call is AuthenticationError', async () => {
  const { id, apiKey } = await service.createKey()
  await watching('binance', async (exchange) => {
    await exchange.watchBalance()
    const waiting = failure(exchange.watchOrders(), ccxt.NetworkError)
    await eventually('the subscription', () => Object.values(exchange.clients)[0].subscriptions.orders?.seq !== undefined)
    await service.admin('DELETE', `/keys/${id}`)
    await waiting
    await failure(exchange.watchOrders(), ccxt.AuthenticationError)
  }, { apiKey })
})

test('the stream continues after the service was killed', () => watching('binance', async (exchange) => {
  await exchange.watchBalance()
  const waiting = failure(exchange.watchBalance(), ccxt.NetworkError)
  await service.kill()
  await waiting
  await service.serve()
  const balance = await eventually('the balance', () => exchange.watchBalance().catch(() => undefined), 60_000)
  assert.equal(balance.USDT.total > 0, true)
}))
