// Orders over the venue's order entry socket.
import { check, equal, eventually, expected, matches, rejected } from '../expect.js'
import { connect, symbol } from '../trader.js'
import ccxt from '../ccxt.js'

export default {
  async market(t) {
    const { id } = await place(t, 'market', 'buy', '0.01')
    matches('order', await t.waitForStatus(id, 'closed'), { type: 'market', side: 'buy', average: '65000.1', remaining: 0 })
  },

  // With the default parameters of CCXT.
  async 'edit-and-cancel'(t) {
    const { id } = await t.exchange.createOrderWs(symbol, 'limit', 'buy', t.contracts('0.01'), '64000')
    await t.waitForStatus(id, 'open')
    await t.exchange.editOrderWs(id, symbol, 'limit', 'buy', t.contracts('0.02'), '63900')
    await eventually('the new price', async () => Number((await t.fetch(id)).price) === 63900)
    await t.exchange.cancelOrderWs(id, symbol)
    equal('amount', t.base((await t.waitForStatus(id, 'canceled')).amount), '0.02')
  },

  async 'reduce-only'(t) {
    await t.buy('0.03')
    const { id } = await place(t, 'limit', 'sell', '0.02', '64000', { reduceOnly: true })
    matches('order', await t.waitForStatus(id, 'closed'), { reduceOnly: true })
    equal('size', t.base((await t.position()).contracts), '0.01')
  },

  async hedged(t) {
    await t.exchange.setPositionMode(true, symbol)
    const { id } = await place(t, 'market', 'sell', '0.01', undefined, t.venue.hedgedOrder('short'))
    await t.waitForStatus(id, 'closed')
    equal('size', t.base((await t.position('short')).contracts), '0.01')
  },

  async attached(t) {
    const { id } = await place(t, 'market', 'buy', '0.02', undefined, { stopLoss: { triggerPrice: '64000' }, takeProfit: { triggerPrice: '66000' } })
    await t.waitForStatus(id, 'closed')
    await eventually('the stops', async () => (await t.venue.attached(t)) > 0)
    await t.move('63900')
    await eventually('the position to be closed', async () => !(await t.position()))
  },

  async stop(t) {
    const { id } = await place(t, 'market', 'buy', '0.01', undefined, { triggerPrice: '66000', triggerDirection: 'ascending' })
    const stops = () => t.exchange.fetchOpenOrders(symbol, undefined, undefined, t.venue.stopParams)
    const [waiting] = await stops()
    matches('open stop', waiting, { id, side: 'buy', triggerPrice: '66000', status: 'open' })
    await t.exchange.cancelOrderWs(id, symbol, t.venue.stopParams)
    await eventually('no open stop', async () => (await stops()).length === 0)
  },

  // Each of several concurrent orders gets its own answer.
  async 'at-once'(t) {
    const prices = Array.from({ length: 8 }, (_, n) => String(64000 - n))
    const placed = await Promise.all(prices.map((price) => place(t, 'limit', 'buy', '0.01', price)))
    for (const [n, { id }] of placed.entries()) equal('price', (await t.fetch(id)).price, prices[n])
    equal('open orders', (await t.openIds()).length, prices.length)
  },

  async 'cancel-by-client-id'(t) {
    const { id } = await place(t, 'limit', 'sell', '0.01', '66000', { clientOrderId: 'socketcancel1' })
    await t.exchange.cancelOrderWs(undefined, symbol, t.venue.byClientId('socketcancel1'))
    await t.waitForStatus(id, 'canceled')
  },

  async 'insufficient-funds'(t) {
    await t.control.call('POST', `/accounts/${t.account.id}`, { balance: '20' })
    await rejected(ccxt.InsufficientFunds, () => place(t, 'limit', 'buy', '0.1', '64000'))
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

  async 'wrong-secret'(t) {
    const other = await connect(t.venue, t.sim, { ...t.account, apiSecret: 'x'.repeat(36) }, t.exchange.markets)
    try {
      await rejected(ccxt.AuthenticationError, () => other.createOrderWs(symbol, 'market', 'buy', t.contracts('0.01'), undefined, t.venue.entryParams))
    } finally {
      await other.close()
    }
    check(!(await t.position()), 'the order was executed, want no position')
  },

  async 'clock-skew'(t) {
    await place(t, 'limit', 'buy', '0.01', '64000')
    const because = await t.control.ahead(60_000, () => expected(t, 'clock-skew', ccxt.InvalidNonce, () => place(t, 'limit', 'buy', '0.01', '63900')))
    equal('open orders', (await t.openIds()).length, 1)
    return because
  },

  // REST and the socket count against the same limit.
  async 'rate-limit'(t) {
    await place(t, 'limit', 'buy', '0.01', '64000')
    const { count, call } = t.venue.tooMany
    const both = Array.from({ length: count / 2 }, () => [call(t).catch(() => {}), place(t, 'limit', 'buy', '0.01', '64000')])
    const answers = await Promise.allSettled(both.map(([, placed]) => placed))
    const kinds = new Set(answers.map(({ reason }) => reason?.constructor.name))
    check(answers.some(({ reason }) => reason instanceof ccxt.RateLimitExceeded), `answered with ${[...kinds]}`)
  },

  // The connection ends with the answer to an order that was executed: the outcome
  // is found by its client id.
  async 'lost-answer'(t) {
    await place(t, 'limit', 'buy', '0.01', '64000')
    const lost = () => place(t, 'limit', 'buy', '0.01', '63900', { clientOrderId: 'socketlost1' })
    await t.control.during({ do: 'drop_connection', args: { executed: true } }, () => rejected(ccxt.NetworkError, lost))
    matches('order', await t.fetch(undefined, t.venue.byClientId('socketlost1')), { status: 'open', price: '63900' })
    const { id } = await place(t, 'limit', 'buy', '0.01', '63800')
    await t.waitForStatus(id, 'open')
  },

  async maintenance(t) {
    await place(t, 'limit', 'buy', '0.01', '64000')
    const away = () => expected(t, 'maintenance', ccxt.ExchangeNotAvailable, () => place(t, 'limit', 'buy', '0.01', '63900'))
    const because = await t.control.during({ do: 'maintenance' }, away)
    check((await t.openIds()).length === 1, 'the order was placed, want it rejected')
    return because
  },
}

function place(t, type, side, base, price, params = {}) {
  return t.exchange.createOrderWs(symbol, type, side, t.contracts(base), price, { ...t.venue.entryParams, ...params })
}
