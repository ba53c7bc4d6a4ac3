import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import ccxt from 'ccxt'
import { eventually, Service } from './service.js'

const symbol = 'BTC/USDT:USDT'
let service
before(async () => { service = await Service.start() })
after(() => service.stop())

test('what has promises is implemented', () => {
  const exchange = service.exchange('binance')
  const base = ccxt.Exchange.prototype
  const promised = Object.keys(exchange.has).filter((name) => exchange.has[name] === true && /^(fetch|watch|create|edit|cancel|set|close)/.test(name))
  const derived = ['createTriggerOrder', 'createStopOrder', 'createStopLimitOrder', 'createStopMarketOrder', 'createStopLossOrder',
    'createOrderWithTakeProfitAndStopLoss', 'createPostOnlyOrder', 'createReduceOnlyOrder', 'createMarketOrder', 'createLimitOrder', 'fetchL2OrderBook']
  const missing = promised.filter((name) => !derived.includes(name) && exchange[name] === base[name])
  assert.deepEqual(missing, [])
  assert.ok(promised.length > 30, `${promised.length} methods, want more than 30`)
})

test('amounts are contracts of the venue, and the service gets base coin', async () => {
  for (const [venue, contractSize] of [['binance', 1], ['bybit', 1], ['okx', 0.01]]) {
    const exchange = service.exchange(venue)
    await exchange.loadMarkets()
    assert.equal(exchange.market(symbol).contractSize, contractSize)
    const order = await exchange.createOrder(symbol, 'limit', 'buy', 0.1 / contractSize, 60_000)
    assert.deepEqual([order.amount, order.info.qty], [0.1 / contractSize, '0.1'])
    await exchange.cancelOrder(order.id, symbol)
    const { asks } = await exchange.fetchOrderBook(symbol, 1)
    const { info } = await exchange.fetchTicker(symbol)
    assert.equal(asks[0][0], Number(info.ask))
  }
})

test('prices and amounts are brought to the steps of the market', async () => {
  const exchange = service.exchange('binance')
  await exchange.loadMarkets()
  const order = await exchange.createOrder(symbol, 'limit', 'buy', 0.1 + 0.2 - 0.1999, 60_000.04)
  assert.deepEqual([order.info.qty, order.info.price], ['0.1', '60000'])
  await exchange.cancelOrder(order.id, symbol)
})

test('what the service does not have is NotSupported, and nothing is sent', async () => {
  const exchange = service.exchange('binance')
  const before = (await service.control('binance').call('GET', '/ledger')).orders.length
  const params = [
    { takeProfitPrice: 70_000 }, { trailingPercent: 1 }, { hedged: true }, { stopLoss: { triggerPrice: 60_000, price: 59_000 } },
    { triggerPrice: 66_000, triggerDirection: 'descending' },
  ]
  for (const one of params) {
    await assert.rejects(exchange.createOrder(symbol, 'market', 'buy', 0.01, undefined, one), (error) => error instanceof ccxt.NotSupported, JSON.stringify(one))
  }
  assert.equal((await service.control('binance').call('GET', '/ledger')).orders.length, before)
})

test('lists are read since a time, oldest first', async () => {
  const exchange = service.exchange('bybit')
  const { serverTime } = await exchange.publicGetV1Time()
  const ids = []
  for (const price of [60_001, 60_002, 60_003]) ids.push((await exchange.createOrder(symbol, 'limit', 'buy', 0.1, price)).id)
  const since = exchange.parse8601(serverTime)
  const idsOf = (orders) => orders.map(({ id }) => id)
  assert.deepEqual(idsOf(await exchange.fetchOrders(symbol, since)), ids)
  assert.deepEqual(idsOf(await exchange.fetchOrders(symbol, since, 2)), ids.slice(0, 2))
  assert.deepEqual(idsOf(await exchange.fetchOrders(symbol, undefined, 2)), ids.slice(1))
  const [cancelled] = await exchange.cancelAllOrders(symbol)
  assert.equal(cancelled.status, 'canceled')
  assert.deepEqual(await exchange.fetchOpenOrders(symbol), [])
  assert.deepEqual(idsOf(await exchange.fetchCanceledOrders(symbol, since)), ids)
  assert.deepEqual(idsOf(await exchange.fetchCanceledOrders(symbol, undefined, 1)), ids.slice(2))
  const candles = await exchange.fetchOHLCV(symbol, '1m', exchange.parse8601(serverTime) - 600_000, 3)
  assert.equal(candles.length, 3)
  assert.equal(candles[1][0] - candles[0][0], 60_000)
})

test('a protection is attached, moved and removed', async () => {
  const exchange = service.exchange('okx')
  const bracket = { stopLoss: { triggerPrice: 60_000 }, takeProfit: { triggerPrice: 70_000 } }
  const { id } = await exchange.createOrder(symbol, 'market', 'buy', 1, undefined, bracket)
  const prices = async () => {
    const { stopLossPrice, takeProfitPrice } = await exchange.fetchPosition(symbol)
    return [stopLossPrice, takeProfitPrice].join()
  }
  await eventually('the bracket', async () => (await prices()) === '60000,70000')
  await exchange.editOrder(id, symbol, 'market', 'buy', undefined, undefined, { stopLoss: { triggerPrice: 61_000 }, takeProfit: null })
  await eventually('the moved stop', async () => (await prices()) === '61000,')
  await exchange.closePosition(symbol)
  assert.equal(await exchange.fetchPosition(symbol), undefined)
})
