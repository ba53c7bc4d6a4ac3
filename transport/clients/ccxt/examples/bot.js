// A bot for CCXT that was moved to Venuegate: long while the price is above the mean of the
// last trades, short while it is below. After SECONDS it closes its position.
import ccxt from 'ccxt'
import { venuegate } from 'venuegate-ccxt'

const { env } = process
const symbol = env.SYMBOL ?? 'BTC/USDT:USDT'
const seconds = Number(env.SECONDS ?? 60)
const windowSize = 20
const orderEveryMs = 1000

// Was: new ccxt.pro.binance({ apiKey, secret, options: { defaultType: 'swap' } })
const exchange = new venuegate({ apiKey: env.API_KEY, options: { exchange: env.EXCHANGE ?? 'binance', baseUrl: env.BASE_URL } })

// place places a market order. It is repeated with one clientOrderId, so that there is never
// a second order.
async function place(side, amount) {
  const clientOrderId = exchange.uuid()
  for (;;) {
    try {
      let order = await exchange.createOrder(symbol, 'market', side, amount, undefined, { clientOrderId })
      while (order.status === 'open') order = await exchange.fetchOrder(order.id, symbol)
      return order
    } catch (error) {
      if (error instanceof ccxt.DuplicateOrderId) return exchange.fetchOrder(undefined, symbol, { clientOrderId })
      if (!(error instanceof ccxt.NetworkError)) throw error
      console.error(error.message)
      await exchange.sleep(1000)
    }
  }
}

// hold makes the position so many contracts; below zero it is short.
async function hold(wanted) {
  const { side, contracts = 0 } = (await exchange.fetchPosition(symbol)) ?? {}
  const change = wanted - (side === 'short' ? -contracts : contracts)
  if (change === 0) return
  const order = await place(change > 0 ? 'buy' : 'sell', Math.abs(change))
  console.error(`${order.side} ${order.filled} at ${order.average}`)
  await exchange.sleep(orderEveryMs)
}

await exchange.loadMarkets()
const amount = Number(env.QTY ?? 0.01) / exchange.market(symbol).contractSize
const prices = []
for (const endsAt = Date.now() + seconds * 1000; Date.now() < endsAt;) {
  try {
    for (const { price } of await exchange.watchTrades(symbol)) prices.push(price)
    prices.splice(0, prices.length - windowSize)
    const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length
    await hold(prices.at(-1) > mean ? amount : -amount)
  } catch (error) {
    // Lost connections and lost messages: the next call continues.
    if (!(error instanceof ccxt.NetworkError)) throw error
    console.error(error.message)
  }
}
await hold(0)
const orders = await exchange.fetchClosedOrders(symbol)
console.log(JSON.stringify({ orders: orders.length, position: (await exchange.fetchPosition(symbol))?.contracts ?? 0 }))
await exchange.close()
