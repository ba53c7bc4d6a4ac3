// CCXT on Bybit v5, linear contracts of a unified account.
import ccxt from 'ccxt'
import { symbol } from '../trader.js'

export default {
  id: 'bybit',
  options: {
    defaultType: 'swap',
    defaultSubType: 'linear',
    fetchMarkets: { types: ['linear'] },
    // The snapshot would have inverse contracts too, which the simulator lacks.
    watchPositions: { fetchPositionsSnapshot: false },
  },

  route(urls, sim) {
    for (const service of Object.keys(urls)) {
      if (typeof urls[service] === 'string') urls[service] = sim.restUrl
    }
    urls.ws.public.linear = sim.wsUrl + '/v5/public/linear'
    urls.ws.private.spot.unified = sim.wsUrl + '/v5/private'
    urls.ws.private.contract = sim.wsUrl + '/v5/private'
    urls.ws.private.trade = sim.wsUrl + '/v5/trade'
  },

  fees: { maker: '0.0002', taker: '0.00055' },
  expired: 'canceled',
  bookTopic: 'orderbook',
  streamsOrderFees: true,
  unknownId: '00000000-0000-4000-8000-000000000000',
  // CCXT wants to hear that only the last 500 orders can be asked for.
  fetchParams: { acknowledged: true },
  stopParams: { trigger: true },
  protectionParams: { trigger: true },
  byClientId: (id) => ({ orderLinkId: id }),
  hedgedOrder: () => ({ hedged: true }),

  editedStop: (triggerPrice) => ({ type: 'market', params: { triggerPrice } }),

  // attached counts the stops that wait on the position.
  async attached(t) {
    return (await t.exchange.fetchOpenOrders(symbol, undefined, undefined, { trigger: true })).length
  },

  // Less than the least notional.
  invalidOrder: (t) => t.exchange.createOrder('DOGE/USDT:USDT', 'limit', 'buy', '1', '0.15'),
  // 10 a second of an account.
  tooMany: { many: 30, ask: (t) => t.order('limit', 'buy', '0.001', '64000') },

  otherClasses: {
    maintenance: { kind: ccxt.ExchangeError, because: 'CCXT does not know 3100197' },
  },

  history: async (t) => [
    ...(await t.exchange.fetchOpenOrders(symbol)),
    ...(await t.exchange.fetchCanceledAndClosedOrders(symbol)),
  ],

  notApplicable: {
    'streams/order-book-gap': 'CCXT does not look at the sequence of the book of this venue',
    'orders/batch': 'the simulator has no batches',
    'account/position-mode': 'CCXT cannot read the mode of this venue',
  },
}
