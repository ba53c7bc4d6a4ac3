// Queries: orders by either id, lists of orders, fills.
import { check, equal, eventually, matches } from '../expect.js'
import { canonical, symbol } from '../trader.js'

export default {
  async 'by-id'(t) {
    const { id } = await t.order('limit', 'buy', '0.01', '64000', { clientOrderId: 'queried1' })
    matches('order', await t.fetch(id), { id, clientOrderId: 'queried1', symbol, status: 'open' })
  },

  async 'by-client-id'(t) {
    const { id } = await t.order('limit', 'buy', '0.01', '64000', { clientOrderId: 'queried2' })
    matches('order', await t.fetch(undefined, t.venue.byClientId('queried2')), { id, status: 'open' })
    await t.exchange.cancelOrder(id, symbol)
    await t.waitForStatus(id, 'canceled')
    matches('order', await t.fetch(undefined, t.venue.byClientId('queried2')), { id, status: 'canceled' })
  },

  async open(t) {
    const first = await t.order('limit', 'buy', '0.01', '64000')
    const second = await t.order('limit', 'sell', '0.01', '66000')
    const all = await t.exchange.fetchOpenOrders(symbol)
    equal('ids', all.map((o) => o.id).sort(), [first.id, second.id].sort())
    for (const order of all) matches('order', order, { status: 'open', type: 'limit', filled: 0 })
  },

  async closed(t) {
    const filled = await t.buy('0.01')
    const { id } = await t.order('limit', 'buy', '0.01', '64000')
    await t.exchange.cancelOrder(id, symbol)
    await t.waitForStatus(id, 'canceled')
    const closed = await t.exchange.fetchClosedOrders(symbol)
    equal('closed', closed.map((o) => o.id), filled.id)
    const cancelled = await t.exchange.fetchCanceledOrders(symbol)
    equal('cancelled', cancelled.map((o) => o.id), id)
  },

  async 'my-trades'(t) {
    await t.control.market({ symbol: canonical, depth: 0 })
    const { id } = await t.order('limit', 'buy', '0.05', '64999')
    await t.control.trade(canonical, 'sell', '0.02')
    await t.control.trade(canonical, 'sell', '0.03')
    const trades = await eventually('two fills', async () => {
      const found = await t.exchange.fetchMyTrades(symbol)
      return found.length === 2 && found
    })
    // The venues do not order what happens in one millisecond.
    equal('amounts', trades.map((trade) => Number(t.base(trade.amount))).sort(), [0.02, 0.03])
    for (const trade of trades) matches('trade', trade, { order: id, price: '64999', side: 'buy', takerOrMaker: 'maker' })
    check(new Set(trades.map((trade) => trade.id)).size === 2, 'two trades have one id')
  },

  async 'order-trades'(t) {
    await t.buy('0.01')
    const { id } = await t.buy('0.02')
    const trades = await t.exchange.fetchOrderTrades(id, symbol)
    equal('trades', trades.map((trade) => trade.order), id)
    equal('amount', t.base(trades[0].amount), '0.02')
  },

  async 'public-trades'(t) {
    await t.control.trade(canonical, 'buy', '0.031')
    // Binance aggregates trades for 100 ms before it publishes them.
    const trade = await eventually('the trade', async () => {
      const trades = await t.exchange.fetchTrades(symbol)
      return trades.find((one) => one.side === 'buy' && Number(t.base(one.amount)) === 0.031)
    })
    matches('trade', trade, { price: '65000.1' })
  },

  async ticker(t) {
    matches('ticker', await t.exchange.fetchTicker(symbol), { last: '65000' })
  },

  async candles(t) {
    await t.move('65100')
    const candles = await t.exchange.fetchOHLCV(symbol, '1m', undefined, 3)
    check(candles.length === 3, `${candles.length} candles`)
    equal('close', candles[2][4], '65100')
    equal('interval', candles[2][0] - candles[1][0], 60000)
  },

  async 'funding-rate'(t) {
    matches('rate', await t.exchange.fetchFundingRate(symbol), { fundingRate: '0.0001' })
  },
}
