// Errors: the class of CCXT for each rejection. Where CCXT does not know a documented
// code of a venue, the file of the venue has another class and the reason.
import ccxt from '../ccxt.js'
import { check, equal, expected, rejected } from '../expect.js'
import { connect, symbol } from '../trader.js'

export default {
  async 'insufficient-funds'(t) {
    await t.control.call('POST', `/accounts/${t.account.id}`, { balance: '20' })
    await rejected(ccxt.InsufficientFunds, () => t.order('limit', 'buy', '0.1', '64000'))
    equal('open orders', (await t.openIds()).length, 0)
  },

  async 'order-not-found'(t) {
    const unknown = t.venue.unknownId
    await rejected(ccxt.OrderNotFound, () => t.fetch(unknown))
    await rejected(ccxt.OrderNotFound, () => t.exchange.cancelOrder(unknown, symbol))
    const { id } = await t.buy('0.01')
    await rejected(ccxt.OrderNotFound, () => t.exchange.cancelOrder(id, symbol))
  },

  async 'invalid-order'(t) {
    await rejected(ccxt.InvalidOrder, () => t.venue.invalidOrder(t))
  },

  async 'reduce-only-without-position'(t) {
    const reducing = () => t.order('market', 'sell', '0.01', undefined, { reduceOnly: true })
    return expected(t, 'reduce-only-without-position', ccxt.InvalidOrder, reducing)
  },

  async 'duplicate-client-id'(t) {
    const place = () => t.order('limit', 'buy', '0.01', '64000', { clientOrderId: 'twice1' })
    await place()
    return expected(t, 'duplicate-client-id', ccxt.InvalidOrder, place)
  },

  // More concurrent calls than the venue allows an account.
  async 'rate-limit'(t) {
    const { count, call } = t.venue.tooMany
    const answers = await Promise.allSettled(Array.from({ length: count }, () => call(t)))
    const kinds = new Set(answers.map(({ reason }) => reason?.constructor.name))
    const { kind, because } = t.venue.otherClasses['rate-limit'] ?? { kind: ccxt.RateLimitExceeded }
    check(answers.some(({ reason }) => reason instanceof kind), `answered with ${[...kinds]}`)
    return because
  },

  async 'wrong-secret'(t) {
    await rejected(ccxt.AuthenticationError, () => balanceWith(t, { apiSecret: 'x'.repeat(36) }))
  },

  async 'unknown-key'(t) {
    return expected(t, 'unknown-key', ccxt.AuthenticationError, () => balanceWith(t, { apiKey: t.account.apiKey.replace(/^.../, 'zzz') }))
  },

  async 'no-permission'(t) {
    await t.control.call('POST', `/accounts/${t.account.id}`, { permissions: { read: true, trade: false, withdraw: false } })
    return expected(t, 'no-permission', ccxt.AuthenticationError, () => t.order('market', 'buy', '0.01'))
  },

  async 'clock-skew'(t) {
    return t.control.ahead(60_000, () => expected(t, 'clock-skew', ccxt.InvalidNonce, () => t.exchange.fetchBalance()))
  },

  async maintenance(t) {
    return t.control.during({ do: 'maintenance' }, () => expected(t, 'maintenance', ccxt.ExchangeNotAvailable, () => t.exchange.fetchBalance()))
  },

  async unavailable(t) {
    const fault = { do: 'status', args: { status: 503, body: '<html>503 Service Unavailable</html>' } }
    await t.control.during(fault, () => rejected(ccxt.ExchangeNotAvailable, () => t.exchange.fetchBalance()))
  },

  async 'dropped-connection'(t) {
    await t.control.during({ do: 'drop_connection' }, () => rejected(ccxt.NetworkError, () => t.exchange.fetchBalance()))
  },

  // CCXT times out for an order that was executed: the outcome is found by its client
  // id.
  async 'lost-answer'(t) {
    t.exchange.timeout = 300
    const place = () => t.order('limit', 'buy', '0.01', '64000', { clientOrderId: 'lost1' })
    await t.control.during({ match: { op: 'POST' }, do: 'timeout_after' }, () => rejected(ccxt.RequestTimeout, place))
    t.exchange.timeout = 10_000
    const order = await t.fetch(undefined, t.venue.byClientId('lost1'))
    equal('status', order.status, 'open')
  },
}

async function balanceWith(t, change) {
  const other = await connect(t.venue, t.sim, { ...t.account, ...change }, t.exchange.markets)
  return other.fetchBalance()
}
