// CCXT's class of the service, transport/clients/ccxt, on one of its venues.
import { Customers } from '../customers.js'
import { symbol } from '../trader.js'

const noBatch = 'the service has no batches'
const noSocket = 'the service takes orders by REST only'
const ownState = 'the service answers from its own state'
const hidden = 'the service signs the requests to the venue'
const unread = 'the service does not offer it'

// fresh are the cases that need an account of their own.
const fresh = ['account/balance', 'queries/closed', 'queries/my-trades', 'errors/insufficient-funds']

const entry = [
  'market', 'edit-and-cancel', 'reduce-only', 'hedged', 'attached', 'stop', 'at-once', 'cancel-by-client-id', 'insufficient-funds',
  'duplicate-client-id', 'order-not-found', 'no-permission', 'wrong-secret', 'clock-skew', 'rate-limit', 'lost-answer', 'maintenance',
]

// The description of the class on a venue, of the rest of FILE: {exchange, service}.
export default ({ exchange, service }) => ({
  id: 'venuegate',
  customers: new Customers({ exchange, service }),

  connect(credentials, markets) {
    return this.customers.connect(credentials, markets)
  },

  // spareAccount returns an account for a case that another case has left flat, if there is one.
  spareAccount(name) {
    if (fresh.includes(name)) return undefined
    const { spare } = this.customers
    this.customers.spare = undefined
    return spare
  },

  release(t) {
    return this.customers.release(t, fresh.includes(t.name))
  },

  // The instrument that does not trade is being settled on bybit.
  inactiveStatus: exchange === 'bybit' ? 'settling' : 'halted',
  expired: 'canceled',
  bookTopic: { binance: 'btcusdt@depth', bybit: 'orderbook', okx: 'books' }[exchange],
  streamsOrderFees: true,
  unknownId: 'ord_none',
  fetchParams: {},
  stopParams: { trigger: true },
  protectionParams: { trigger: true },
  byClientId: (clientOrderId) => ({ clientOrderId }),
  editedStop: (triggerPrice) => ({ type: 'market', params: { triggerPrice } }),

  // attached returns the number of prices that protect the position.
  async attached(t) {
    const position = await t.position()
    return [position?.stopLossPrice, position?.takeProfitPrice].filter((price) => price !== undefined).length
  },

  // Below the minimum of every venue.
  invalidOrder: (t) => t.exchange.privatePostV1Orders({ exchange, symbol: 'BTCUSDT', side: 'buy', type: 'limit', qty: '0.00001', price: '64000' }),
  // 120 in a minute of a key, over a few connections.
  tooMany: {
    count: 10,
    async call(t) {
      for (let i = 0; i < 13; i++) await t.exchange.cancelAllOrders(symbol)
    },
  },

  otherClasses: {},

  // The ids are those of the service, and the venue has others, also as client order ids.
  orderId: (order) => order.info.venueOrderId,
  async orderIds(t) {
    return new Map((await this.history(t)).map(({ id, info }) => [id, info.venueOrderId]))
  },

  history: async (t) => (await t.exchange.fetchOrders(symbol, undefined, 500)).filter(({ info }) => info.venueOrderId !== null),

  notApplicable: {
    'markets/leverage': unread,
    'account/fees': unread,
    'account/position-mode': unread,
    'account/hedge': unread,
    'account/own-calls': 'CCXT has no calls of its own for the service',
    'orders/batch': noBatch,
    'orders/batch-edit': noBatch,
    'conditional/take-profit': 'the service has no take profit that is not attached to an order',
    'errors/clock-skew': hidden,
    'errors/no-permission': hidden,
    'errors/maintenance': ownState,
    'errors/unavailable': ownState,
    'errors/dropped-connection': ownState,
    'errors/lost-answer': 'the class finds the outcome itself: its own tests lose answers',
    'history/closed-positions': unread,
    'history/ledger': unread,
    'history/funding': unread,
    ...Object.fromEntries(entry.map((name) => [`entry/${name}`, noSocket])),
  },
})
