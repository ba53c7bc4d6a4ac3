// CCXT on Binance USD-M futures.
import ccxt from '../ccxt.js'
import { equal } from '../expect.js'
import { symbol } from '../trader.js'

const noAttached = 'the venue has no attached stops: CCXT does not offer them for it'

export default {
  id: 'binance',
  options: { defaultType: 'swap', defaultSubType: 'linear', fetchMarkets: { types: ['linear'] } },

  route(urls, sim) {
    for (const [service, url] of Object.entries(urls)) {
      if (typeof url === 'string') urls[service] = sim.restUrl + new URL(url).pathname
    }
    // CCXT puts /public, /market or /private in front of /ws.
    urls.ws.future = sim.wsUrl + '/ws'
    urls.ws['ws-api'].future = sim.wsUrl + '/ws-fapi/v1'
  },

  // CCXT finds its table of futures errors by the venue's host name.
  adjust(exchange) {
    for (const how of ['exact', 'broad']) Object.assign(exchange.exceptions[how], exchange.exceptions.linear[how])
  },

  fees: { maker: '0.0002', taker: '0.0005' },
  expired: 'expired',
  rejectsPostOnly: true,
  rejectsFillOrKill: true,
  bookTopic: 'btcusdt@depth',
  unknownId: '1234567890',
  // CCXT keeps the fee of the first event of an order.
  streamsOrderFees: false,
  fetchParams: {},
  // Conditional orders have a service of their own.
  stopParams: { trigger: true },
  protectionParams: { trigger: true },
  byClientId: (id) => ({ origClientOrderId: id }),
  hedgedOrder: (side) => ({ positionSide: side === 'long' ? 'LONG' : 'SHORT' }),

  // Below the minimum notional.
  invalidOrder: (t) => t.exchange.createOrder(symbol, 'limit', 'buy', '0.001', '64000'),
  // 300 orders of an account in each fixed span of 10 s, of which a burst may use two.
  tooMany: { count: 640, call: (t) => t.order('limit', 'buy', '0.002', '64000') },

  otherClasses: {
    'rate-limit': { kind: ccxt.DDoSProtection, because: 'CCXT uses DDoSProtection for every 418 and 429' },
    maintenance: { kind: ccxt.BadRequest, because: 'CCXT reads -1016, "no longer available", as a bad request' },
  },

  history: (t) => t.exchange.fetchOrders(symbol),

  // ownCalls makes the calls that CCXT has under the venue's names only.
  async ownCalls(t) {
    const [symbolConfig] = await t.exchange.fapiPrivateGetSymbolConfig({ symbol: 'BTCUSDT' })
    equal('leverage', symbolConfig.leverage, 20)
  },

  notApplicable: {
    'entry/attached': noAttached,
    'conditional/attached-market': noAttached,
    'conditional/attached-limit': noAttached,
    'conditional/edit-stop': 'the venue cannot change a conditional order and CCXT sends the order to the plain service',
    'history/closed-positions': 'the venue has no history of positions',
    'queries/order-trades': 'CCXT offers it for the spot market only',
  },
}
