// What CCXT's base class has to know of the service: its routes with their costs, what is
// implemented, and the class of each error.
import ccxt from 'ccxt'
import { exceptions } from './errors.js'

// timeframes are those of the service, under the names of CCXT.
const timeframes = Object.fromEntries(['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '12h', '1d', '1w'].map((t) => [t, t]))

// A key may send 600 reading and 120 trading requests in any 60 s. CCXT has one bucket.
const reading = 1
const trading = 5

const methods = {
  fetchBalance: true, fetchPosition: true, fetchPositions: true, setLeverage: true, closePosition: true,
  fetchMarkets: true, fetchTicker: true, fetchTickers: true, fetchOrderBook: true, fetchTrades: true, fetchOHLCV: true,
  fetchFundingRate: true, fetchFundingRates: true, fetchTime: true, fetchStatus: true, fetchCurrencies: false,
  createOrder: true, editOrder: true, cancelOrder: true, cancelAllOrders: true,
  createTriggerOrder: true, createStopOrder: true, createStopLimitOrder: true, createStopMarketOrder: true, createStopLossOrder: true,
  createOrderWithTakeProfitAndStopLoss: true, createPostOnlyOrder: true, createReduceOnlyOrder: true, createTakeProfitOrder: false,
  createMarketOrderWs: false, createOrders: false, createTrailingAmountOrder: false, createTrailingPercentOrder: false,
  fetchOrder: true, fetchOrders: true, fetchOpenOrders: true, fetchClosedOrders: true, fetchCanceledOrders: true,
  fetchCanceledAndClosedOrders: true, fetchMyTrades: true, fetchOrderTrades: true,
  watchTicker: true, watchOrderBook: true, watchTrades: true, watchOHLCV: true,
  watchOrders: true, watchMyTrades: true, watchPositions: true, watchBalance: true,
}

export function description() {
  return {
    id: 'venuegate',
    name: 'Venuegate',
    countries: [],
    version: 'v1',
    pro: true,
    certified: false,
    rateLimit: 100,
    rateLimiterAlgorithm: 'rollingWindow',
    rollingWindowSize: 60000,
    has: {
      CORS: undefined, spot: false, margin: false, swap: true, future: true, option: false, ...methods,
    },
    timeframes,
    urls: {
      api: { public: 'http://127.0.0.1:8080', private: 'http://127.0.0.1:8080' },
      www: 'http://127.0.0.1:8080',
      doc: ['http://127.0.0.1:8080/docs'],
    },
    api: {
      public: { get: { 'v1/time': reading } },
      private: {
        get: {
          'v1/venues': reading, 'v1/instruments': reading, 'v1/tickers': reading, 'v1/book': reading, 'v1/trades': reading,
          'v1/candles': reading, 'v1/account': reading, 'v1/positions': reading, 'v1/orders': reading, 'v1/orders/{id}': reading,
          'v1/fills': reading, 'v1/events': reading,
        },
        post: {
          'v1/orders': trading, 'v1/orders/check': trading, 'v1/positions/close': trading, 'v1/positions/leverage': trading,
        },
        patch: { 'v1/orders/{id}': trading },
        delete: { 'v1/orders': trading, 'v1/orders/{id}': trading },
      },
    },
    requiredCredentials: { apiKey: true, secret: false },
    precisionMode: ccxt.TICK_SIZE,
    exceptions: { exact: exceptions, broad: {} },
    streaming: { keepAlive: 20000 },
    options: {
      // The venue that is traded: binance, bybit or okx.
      exchange: undefined,
      // The address of the service, instead of urls.
      baseUrl: undefined,
      // How long the outcome of an order is looked for after its answer was lost.
      settleMs: 30000,
      // The limit of pages of a list that is read with since.
      pagesMax: 10,
      // The limits of the records that are kept of a stream.
      tradesLimit: 1000, OHLCVLimit: 1000, ordersLimit: 1000,
      // The levels of a side that watchOrderBook follows by default.
      depth: 100,
    },
  }
}
