// Orders over the socket that a venue has for them.
import { check, equal, eventually, expected, matches, refused } from '../expect.js'
import { symbol } from '../trader.js'
import ccxt from 'ccxt'

export default {
  async market(t) {
    const { id } = await place(t, 'market', 'buy', '0.01')
    matches('order', await t.becomes(id, 'closed'), { type: 'market', side: 'buy', average: '65000.1', remaining: 0 })
  },

  // All as CCXT does it by itself.
  async 'edit-and-cancel'(t) {
    const { id } = await t.exchange.createOrderWs(symbol, 'limit', 'buy', t.contracts('0.01'), '64000')
    await t.becomes(id, 'open')
    await t.exchange.editOrderWs(id, symbol, 'limit', 'buy', t.contracts('0.02'), '63900')
    await eventually('the new price', async () => Number((await t.fetch(id)).price) === 63900)
    await t.exchange.cancelOrderWs(id, symbol)
    equal('amount', t.base((await t.becomes(id, 'canceled')).amount), '0.02')
  },

  async 'reduce-only'(t) {
    await t.bought('0.03')
    const { id } = await place(t, 'limit', 'sell', '0.02', '64000', { reduceOnly: true })
    matches('order', await t.becomes(id, 'closed'), { reduceOnly: true })
    equal('size', t.base((await t.position()).contracts), '0.01')
  },

  async hedged(t) {
    await t.exchange.setPositionMode(true, symbol)
    const { id } = await place(t, 'market', 'sell', '0.01', undefined, t.venue.hedgedOrder('short'))
    await t.becomes(id, 'closed')
    equal('size', t.base((await t.position('short')).contracts), '0.01')
  },

  async attached(t) {
    const { id } = await place(t, 'market', 'buy', '0.02', undefined, { stopLoss: { triggerPrice: '64000' }, takeProfit: { triggerPrice: '66000' } })
    await t.becomes(id, 'closed')
    await eventually('the stops', async () => (await t.venue.attached(t)) > 0)
    await t.move('63900')
    await eventually('the position to be closed', async () => !(await t.position()))
  },

  // Each of several at once gets the answer to its own order.
  async 'at-once'(t) {
    const prices = Array.from({ length: 8 }, (_, n) => String(64000 - n))
    const placed = await Promise.all(prices.map((price) => place(t, 'limit', 'buy', '0.01', price)))
    for (const [n, { id }] of placed.entries()) equal('price', (await t.fetch(id)).price, prices[n])
    equal('open orders', (await t.openIds()).length, prices.length)
  },

  async 'cancel-by-client-id'(t) {
    const { id } = await place(t, 'limit', 'sell', '0.01', '66000', { clientOrderId: 'socketcancel1' })
    await t.exchange.cancelOrderWs(undefined, symbol, t.venue.byClientId('socketcancel1'))
    await t.becomes(id, 'canceled')
  },

  async 'insufficient-funds'(t) {
    await t.control.call('POST', `/accounts/${t.account.id}`, { balance: '20' })
    await refused(ccxt.InsufficientFunds, () => place(t, 'limit', 'buy', '0.1', '64000'))
    equal('open orders', (await t.openIds()).length, 0)
  },

  async 'duplicate-client-id'(t) {
    const twice = () => place(t, 'limit', 'buy', '0.01', '64000', { clientOrderId: 'sockettwice1' })
    await twice()
    return expected(t, 'duplicate-client-id', ccxt.InvalidOrder, twice)
  },

  async 'order-not-found'(t) {
    return expected(t, 'order-not-found', ccxt.OrderNotFound, () => t.exchange.cancelOrderWs(t.venue.unknownId, symbol))
  },

  async 'no-permission'(t) {
    await t.control.call('POST', `/accounts/${t.account.id}`, { permissions: { read: true, trade: false, withdraw: false } })
    return expected(t, 'no-permission', ccxt.AuthenticationError, () => place(t, 'market', 'buy', '0.01'))
  },

  async maintenance(t) {
    await place(t, 'limit', 'buy', '0.01', '64000')
    const away = () => expected(t, 'maintenance', ccxt.ExchangeNotAvailable, () => place(t, 'limit', 'buy', '0.01', '63900'))
    const because = await t.control.during({ do: 'maintenance' }, away)
    check((await t.openIds()).length === 1, 'it was placed all the same')
    return because
  },
}

function place(t, type, side, base, price, params = {}) {
  return t.exchange.createOrderWs(symbol, type, side, t.contracts(base), price, { ...t.venue.entryParams, ...params })
}
