// CCXT on Bybit v5, linear contracts of a unified account.
import ccxt from '../ccxt.js'
import { matches } from '../expect.js'
import { symbol } from '../trader.js'

export default {
  id: 'bybit',
  options: {
    defaultType: 'swap',
    defaultSubType: 'linear',
    fetchMarkets: { types: ['linear'] },
    // The snapshot would include inverse contracts, which the simulator does not have.
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
  // CCXT requires the acknowledgement that only the last 500 orders can be queried.
  fetchParams: { acknowledged: true },
  stopParams: { trigger: true },
  protectionParams: { trigger: true },
  byClientId: (id) => ({ orderLinkId: id }),
  hedgedOrder: () => ({ hedged: true }),

  editedStop: (triggerPrice) => ({ type: 'market', params: { triggerPrice } }),

  // attached returns the number of stops attached to the position.
  async attached(t) {
    return (await t.exchange.fetchOpenOrders(symbol, undefined, undefined, { trigger: true })).length
  },

  // Below the minimum notional.
  invalidOrder: (t) => t.exchange.createOrder('DOGE/USDT:USDT', 'limit', 'buy', '1', '0.15'),
  // 10 a second of an account.
  tooMany: { count: 30, call: (t) => t.order('limit', 'buy', '0.001', '64000') },

  otherClasses: {
    maintenance: { kind: ccxt.ExchangeError, because: 'CCXT does not know 3100197' },
  },

  history: async (t) => [
    ...(await t.exchange.fetchOpenOrders(symbol)),
    ...(await t.exchange.fetchCanceledAndClosedOrders(symbol)),
  ],

  async ownCalls(t) {
    await t.exchange.setLeverage(9, symbol)
    const { result } = await t.exchange.privateGetV5PositionSymbolInfo({ category: 'linear', symbol: 'BTCUSDT' })
    matches('symbol', result.list[0], { symbol: 'BTCUSDT', leverage: 9, positionIdx: 0 })
  },

  notApplicable: {
    'streams/order-book-gap': 'CCXT does not check the sequence of the book of this venue',
    'markets/halted': 'the venue lists what does not trade on request only, which CCXT does not make',
    'account/position-mode': 'CCXT cannot read the mode of this venue',
  },
}
