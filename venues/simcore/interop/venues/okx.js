// CCXT on OKX swaps. Amounts are contracts.
import ccxt from '../ccxt.js'
import { equal, rejected } from '../expect.js'
import { symbol } from '../trader.js'

export default {
  id: 'okx',
  options: { defaultType: 'swap', fetchMarkets: { types: ['swap'] } },

  route(urls, sim) {
    urls.rest = sim.restUrl
    urls.ws = sim.wsUrl + '/ws/v5'
  },

  fees: { maker: '0.0002', taker: '0.0005' },
  expired: 'canceled',
  bookTopic: 'books',
  streamsOrderFees: true,
  // CCXT uses the id of the stop as the id of the order that it placed.
  orderId: (order) => order.info.ordId,
  unknownId: '1234567890',
  fetchParams: {},
  // Stops of the kinds trigger and conditional have separate lists.
  stopParams: { trigger: true, ordType: 'trigger' },
  protectionParams: { trigger: true, ordType: 'conditional' },
  byClientId: (id) => ({ clOrdId: id }),
  hedgedOrder: () => ({ hedged: true }),
  // By default CCXT places an order as a batch of one.
  entryParams: { op: 'order' },

  // CCXT keeps the venue's sign in its stream: charges are negative.
  streamedFee: (cost) => ccxt.Precise.stringNeg(cost),
  tierParams: (base) => ({ instFamily: `${base}-USDT` }),
  editedStop: (stopLossPrice) => ({ type: 'conditional', params: { stopLossPrice, newSlOrdPx: '-1' } }),

  // attached returns the number of stops attached to the position.
  async attached(t) {
    const kinds = ['conditional', 'oco'].map((ordType) => t.openIds({ trigger: true, ordType }))
    return (await Promise.all(kinds)).flat().length
  },

  // Below the minimum size.
  invalidOrder: (t) => t.exchange.privatePostTradeOrder({ instId: 'BTC-USDT-SWAP', tdMode: 'cross', side: 'buy', ordType: 'limit', sz: '0.001', px: '64000' }),
  // 5 in 2 s of an account.
  tooMany: { count: 15, call: (t) => t.exchange.fetchPositionMode(symbol) },

  otherClasses: {
    'reduce-only-without-position': { kind: ccxt.ExchangeError, because: 'CCXT does not know 51169' },
    'unknown-key': { kind: ccxt.ExchangeError, because: 'CCXT does not know 50119' },
    'no-permission': { kind: ccxt.ExchangeError, because: 'CCXT does not know 50120' },
  },

  history: async (t) => [
    ...(await t.exchange.fetchOpenOrders(symbol)),
    ...(await t.exchange.fetchClosedOrders(symbol)),
    ...(await t.exchange.fetchCanceledOrders(symbol)),
  ],

  async ownCalls(t) {
    const instId = 'BTC-USDT-SWAP'
    const { data: [most] } = await t.exchange.privateGetAccountMaxSize({ instId, tdMode: 'cross', px: '65000' })
    const order = (sz) => t.exchange.privatePostTradeOrder({ instId, tdMode: 'cross', side: 'buy', ordType: 'limit', px: '65000', sz })
    await rejected(ccxt.InsufficientFunds, () => order(ccxt.Precise.stringAdd(most.maxBuy, '0.01')))
    await order(most.maxBuy)
    await t.control.trade('BTCUSDT', 'buy', '0.017')
    const [newest] = (await t.exchange.fetchTrades(symbol, undefined, 1, { method: 'publicGetMarketHistoryTrades' })).slice(-1)
    equal('amount of the newest trade', t.base(newest.amount), '0.017')
    const { data: bills } = await t.exchange.privateGetAccountBillsArchive()
    equal('bills', bills.length, 0)
  },

  notApplicable: {
    'entry/stop': 'CCXT does not offer conditional orders over the socket of this venue',
    'entry/clock-skew': 'orders over the socket of this venue have no timestamp',
    'entry/rate-limit': 'the venue accepts more concurrent orders than CCXT sends',
    'orders/batch-edit': 'CCXT does not offer it for this venue',
    'orders/cancel-all': 'the venue cancels by name only, so CCXT has no cancelAllOrders for it',
    'conditional/cancel-all-stops': 'the venue cancels by name only, so CCXT has no cancelAllOrders for it',
  },
}
