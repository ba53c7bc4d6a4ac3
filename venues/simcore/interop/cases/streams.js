// Streams: the book compared with REST, trades, candles, and the private streams of
// orders, fills, positions and balance.
import { check, equal, eventually, matches, pause } from '../expect.js'
import { Feed } from '../feed.js'
import { canonical, symbol } from '../trader.js'

const bookDepth = 50
const bookUpdates = 40
const tradeMs = 20

export default {
  async 'order-book'(t) {
    const book = await watchBook(t)
    const moving = market(t)
    await book.waitFor('many books', () => book.messages.length > bookUpdates)
    await moving.stop()
    book.messages.forEach(uncrossed)
    await sameBook(t)
  },

  // A message is lost: CCXT detects the gap, ends the stream, and has the correct
  // book after a new subscription.
  async 'order-book-gap'(t) {
    const book = await watchBook(t)
    await t.control.during({ match: { op: t.venue.bookTopic }, do: 'gap', times: 1 }, async () => {
      await t.move('65010')
      await eventually('the gap', async () => (await t.control.call('GET', '/faults')).faults[0].struck > 0)
    })
    await eventually('CCXT to notice', async () => {
      await t.control.trade(canonical, 'sell', '0.001')
      return book.failure
    })
    await watchBook(t)
    await sameBook(t)
  },

  async trades(t) {
    const trades = new Feed(() => t.exchange.watchTrades(symbol), () => t.exchange.trades[symbol])
    await trades.open('trades', () => t.control.trade(canonical, 'sell', '0.001'))
    await t.control.trade(canonical, 'buy', '0.037')
    const trade = await trades.waitFor('the trade', (one) => Number(t.base(one.amount)) === 0.037)
    matches('trade', trade, { side: 'buy', price: '65000.1', symbol })
  },

  async ticker(t) {
    const tickers = new Feed(() => t.exchange.watchTicker(symbol))
    await tickers.open('the ticker', () => t.move('65000'))
    await t.move('65200')
    await tickers.waitFor('the price', (ticker) => Number(ticker.last) === 65200)
  },

  async candles(t) {
    const candles = new Feed(() => t.exchange.watchOHLCV(symbol, '1m'))
    await candles.open('candles', () => t.move('65000'))
    await t.move('65300')
    await candles.waitFor('the price', (candle) => Number(candle[4]) === 65300)
  },

  async orders(t) {
    await t.orderFeed()
    await t.control.market({ symbol: canonical, depth: 0 })
    const { id } = await t.order('limit', 'buy', '0.05', '64999', { clientOrderId: 'watched1' })
    const open = await t.waitForOrder('the new order', id, (order) => order.status === 'open')
    matches('order', open, { clientOrderId: 'watched1', type: 'limit', side: 'buy', price: '64999', filled: 0 })
    await t.control.trade(canonical, 'sell', '0.02')
    const part = await t.waitForOrder('the partial fill', id, (order) => Number(t.base(order.filled)) === 0.02)
    matches('order', part, { status: 'open', average: '64999' })
    await t.control.trade(canonical, 'sell', '0.03')
    matches('order', await t.waitForOrder('the last fill', id, (order) => order.status === 'closed'), { remaining: 0 })
  },

  async 'orders-amended'(t) {
    await t.orderFeed()
    const { id } = await t.order('limit', 'buy', '0.01', '64000')
    await t.exchange.editOrder(id, symbol, 'limit', 'buy', t.contracts('0.02'), '63900')
    const amended = await t.waitForOrder('the amendment', id, (order) => Number(order.price) === 63900)
    equal('amount', t.base(amended.amount), '0.02')
    await t.exchange.cancelOrder(id, symbol)
    await t.waitForOrder('the cancellation', id, (order) => order.status === 'canceled')
  },

  async 'my-trades'(t) {
    await t.tradeFeed()
    const { id } = await t.order('market', 'sell', '0.013')
    const trade = await t.trades.waitFor('the fill', (one) => one.order === id)
    matches('trade', trade, { side: 'sell', takerOrMaker: 'taker', price: '64999.9' })
    equal('amount', t.base(trade.amount), '0.013')
  },

  async positions(t) {
    const positions = new Feed(() => t.exchange.watchPositions([symbol]))
    await positions.open('positions', () => t.order('market', 'buy', '0.002'))
    await t.order('market', 'sell', '0.05')
    const short = await positions.waitFor('the position', (one) => one.side === 'short')
    equal('size', t.base(short.contracts), t.base((await t.position()).contracts))
  },

  async balance(t) {
    const balances = new Feed(() => t.exchange.watchBalance())
    await balances.open('the balance', () => t.order('market', 'buy', '0.002'))
    // Without a position, because CCXT reports the equity in one place and the wallet
    // balance in another.
    const { contracts } = await t.position()
    await t.exchange.createOrder(symbol, 'market', 'sell', contracts, undefined, { reduceOnly: true })
    await eventually('the position to be closed', async () => !(await t.position()))
    const { USDT } = await t.exchange.fetchBalance()
    await balances.waitFor('the balance of REST', (balance) => Number(balance.USDT?.total) === Number(USDT.total))
  },
}

async function watchBook(t) {
  const book = new Feed(async () => plainBook(await t.exchange.watchOrderBook(symbol)))
  return book.open('the book', () => t.control.trade(canonical, 'buy', '0.001'))
}

// plainBook copies the sides of a book, which CCXT changes later.
function plainBook({ bids, asks }) {
  return { bids: bids.slice(0, bookDepth).map(([p, q]) => [p, q]), asks: asks.slice(0, bookDepth).map(([p, q]) => [p, q]) }
}

// market moves the market until it is stopped.
function market(t) {
  let on = true
  const done = (async () => {
    for (let i = 0; on; i++) {
      await t.control.trade(canonical, i % 3 ? 'buy' : 'sell', '0.05')
      if (i % 10 === 9) await t.move(`${65000 + (i % 7) * 3}`)
      await pause(tradeMs)
    }
  })()
  return {
    stop() {
      on = false
      return done
    },
  }
}

function uncrossed({ bids, asks }) {
  check(bids.length > 0 && asks.length > 0, 'a side of the book is empty')
  check(bids[0][0] < asks[0][0], `crossed: ${bids[0][0]} and ${asks[0][0]}`)
  bids.slice(1).forEach((level, i) => check(level[0] < bids[i][0], 'bids are out of order'))
  asks.slice(1).forEach((level, i) => check(level[0] > asks[i][0], 'asks are out of order'))
}

// sameBook waits until the streamed book equals that of REST.
async function sameBook(t) {
  const text = (book) => JSON.stringify(plainBook(book))
  let streamed, rest
  try {
    await eventually('the book of REST', async () => {
      rest = await t.exchange.fetchOrderBook(symbol, bookDepth)
      streamed = t.exchange.orderbooks[symbol]
      return text(streamed) === text(rest)
    })
  } catch (error) {
    throw new Error(`${error.message}: streamed ${text(streamed).slice(0, 200)}, REST has ${text(rest).slice(0, 200)}`)
  }
}
