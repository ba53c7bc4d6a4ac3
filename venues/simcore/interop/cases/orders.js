// Orders: every plain type and flag, amended and cancelled.
import { check, equal, eventually, matches, rejected } from '../expect.js'
import { canonical, symbol } from '../trader.js'
import ccxt from '../ccxt.js'

export default {
  async market(t) {
    const order = await t.buy('0.01')
    matches('order', order, { type: 'market', side: 'buy', status: 'closed', remaining: 0 })
    equal('filled', t.base(order.filled), '0.01')
    equal('average', order.average, '65000.1')
    equal('cost', order.cost, '650.001')
  },

  async limit(t) {
    const { id } = await t.order('limit', 'buy', '0.02', '64000')
    const order = await t.fetch(id)
    matches('order', order, { type: 'limit', side: 'buy', status: 'open', price: '64000', filled: 0 })
    equal('amount', t.base(order.amount), '0.02')
    await t.move('63900')
    matches('order', await t.waitForStatus(id, 'closed'), { average: '64000', remaining: 0 })
  },

  async 'partial-fill'(t) {
    await t.control.market({ symbol: canonical, depth: 0 })
    const { id } = await t.order('limit', 'buy', '0.05', '64999')
    await t.control.trade(canonical, 'sell', '0.02')
    const order = await eventually('the fill', async () => {
      const found = await t.fetch(id)
      return Number(found.filled) > 0 && found
    })
    matches('order', order, { status: 'open', average: '64999' })
    equal('filled', t.base(order.filled), '0.02')
    equal('remaining', t.base(order.remaining), '0.03')
    await t.exchange.cancelOrder(id, symbol)
    equal('filled', t.base((await t.waitForStatus(id, 'canceled')).filled), '0.02')
  },

  async 'post-only'(t) {
    const { id } = await t.order('limit', 'buy', '0.01', '64000', { postOnly: true })
    matches('order', await t.fetch(id), { status: 'open', postOnly: true })
    equal('open orders', await t.openIds(), id)
  },

  // A post-only order that would take is rejected immediately or cancelled later.
  async 'post-only-taker'(t) {
    const taking = () => t.order('limit', 'buy', '0.01', '65500', { postOnly: true })
    if (t.venue.rejectsPostOnly) {
      await rejected(ccxt.ExchangeError, taking)
    } else {
      const { id } = await taking()
      matches('order', await t.waitForStatus(id, 'canceled'), { filled: 0 })
    }
    check(!(await t.position()), 'it traded')
  },

  async 'reduce-only'(t) {
    await t.buy('0.03')
    const { id } = await t.order('limit', 'sell', '0.02', '64000', { reduceOnly: true })
    matches('order', await t.waitForStatus(id, 'closed'), { reduceOnly: true })
    equal('size', t.base((await t.position()).contracts), '0.01')
  },

  async 'fill-or-kill'(t) {
    await t.control.market({ symbol: canonical, depth: 2 })
    const deep = () => t.order('limit', 'buy', '5', '65001', { timeInForce: 'FOK' })
    if (t.venue.rejectsFillOrKill) {
      await rejected(ccxt.ExchangeError, deep)
    } else {
      const { id } = await deep()
      matches('order', await t.waitForStatus(id, 'canceled'), { filled: 0 })
    }
    const { id } = await t.order('limit', 'buy', '0.005', '65001', { timeInForce: 'FOK' })
    matches('order', await t.waitForStatus(id, 'closed'), { timeInForce: 'FOK' })
  },

  async 'immediate-or-cancel'(t) {
    await t.control.market({ symbol: canonical, depth: 1 })
    const { asks } = await eventually('a book of one level', async () => {
      const book = await t.exchange.fetchOrderBook(symbol, 5)
      return book.asks.length === 1 && book
    })
    const there = t.base(asks[0][1])
    const { id } = await t.order('limit', 'buy', '5', '65001', { timeInForce: 'IOC' })
    const order = await eventually('the rest to be cancelled', async () => {
      const found = await t.fetch(id)
      return found.status !== 'open' && found
    })
    matches('order', order, { timeInForce: 'IOC', status: t.venue.expired })
    equal('filled', t.base(order.filled), there)
  },

  async edit(t) {
    const { id } = await t.order('limit', 'buy', '0.01', '64000')
    const edited = await t.exchange.editOrder(id, symbol, 'limit', 'buy', t.contracts('0.02'), '63900')
    equal('id', edited.id, id)
    const order = await eventually('the new price', async () => {
      const found = await t.fetch(id)
      return Number(found.price) === 63900 && found
    })
    matches('order', order, { status: 'open' })
    equal('amount', t.base(order.amount), '0.02')
  },

  async cancel(t) {
    const { id } = await t.order('limit', 'sell', '0.01', '66000')
    await t.exchange.cancelOrder(id, symbol)
    matches('order', await t.waitForStatus(id, 'canceled'), { filled: 0 })
    equal('open orders', (await t.openIds()).length, 0)
  },

  async 'cancel-by-client-id'(t) {
    const { id } = await t.order('limit', 'sell', '0.01', '66000', { clientOrderId: 'cancelme1' })
    await t.exchange.cancelOrder(undefined, symbol, t.venue.byClientId('cancelme1'))
    await t.waitForStatus(id, 'canceled')
  },

  async 'cancel-all'(t) {
    for (const price of ['64000', '63900', '63800']) await t.order('limit', 'buy', '0.01', price)
    equal('open orders', (await t.openIds()).length, 3)
    await t.exchange.cancelAllOrders(symbol)
    await eventually('no open order', async () => (await t.openIds()).length === 0)
  },

  async batch(t) {
    const placed = await t.exchange.createOrders([batched(t, '64000'), batched(t, '63900')])
    const ids = placed.map((order) => order.id)
    equal('open orders', (await t.openIds()).sort(), [...ids].sort())
    await t.exchange.cancelOrders(ids, symbol)
    for (const id of ids) await t.waitForStatus(id, 'canceled')
  },

  async 'batch-edit'(t) {
    const placed = await t.exchange.createOrders([batched(t, '64000'), batched(t, '63900')])
    const edits = placed.map(({ id }, n) => ({ id, ...batched(t, ['63800', '63700'][n]) }))
    equal('ids', (await t.exchange.editOrders(edits)).map((order) => order.id), placed.map((order) => order.id))
    const prices = await eventually('the new prices', async () => {
      const open = (await t.exchange.fetchOpenOrders(symbol)).map((order) => Number(order.price)).sort()
      return open[0] === 63700 && open
    })
    equal('prices', prices, [63700, 63800])
  },
}

// batched is an order of a batch.
function batched(t, price) {
  return { symbol, type: 'limit', side: 'buy', amount: t.contracts('0.01'), price, params: {} }
}
