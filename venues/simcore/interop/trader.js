// A trader is a funded account of a simulated venue with a client of CCXT. Every case
// has its own, so that no case sees the orders of another.
import ccxt from './ccxt.js'
import { Control } from './control.js'
import { eventually } from './expect.js'
import { Feed } from './feed.js'

const { Precise } = ccxt

export const symbol = 'BTC/USDT:USDT'
export const canonical = 'BTCUSDT'
export const startPrice = '65000'
// balance is the initial balance of each account.
export const balance = '100000'

// connect returns CCXT's client of a venue, configured for the simulator. Numbers stay
// text, as the venue sent them; CCXT's throttle is off because the simulator's
// limits are those of the venue.
export async function connect(venue, sim, credentials, markets) {
  if (venue.connect) return venue.connect(credentials, markets)
  const exchange = new ccxt.pro[venue.id]({
    apiKey: credentials.apiKey,
    secret: credentials.apiSecret,
    password: credentials.passphrase,
    number: String,
    enableRateLimit: false,
    options: venue.options,
  })
  // The simulators have no asset service, from which CCXT reads the currencies.
  exchange.has.fetchCurrencies = false
  venue.route(exchange.urls.api, sim)
  blockOthers(exchange.urls.api, sim)
  venue.adjust?.(exchange)
  // Required for plain ws://; there is no proxy.
  await exchange.loadHttpProxyAgent()
  if (markets) exchange.setMarkets(markets)
  return exchange
}

// blockOthers replaces the addresses that the route of a venue has left unchanged:
// no request may reach the real venue.
function blockOthers(urls, sim) {
  for (const [service, url] of Object.entries(urls)) {
    if (typeof url === 'object') blockOthers(url, sim)
    else if (!url.startsWith(sim.restUrl) && !url.startsWith(sim.wsUrl)) {
      urls[service] = (url.startsWith('ws') ? sim.wsUrl : sim.restUrl) + '/not-simulated'
    }
  }
}

export class Trader {
  constructor(venue, sim, account, exchange) {
    this.venue = venue
    this.sim = sim
    this.account = account
    this.exchange = exchange
    this.control = new Control(sim.controlUrl)
  }

  get market() {
    return this.exchange.market(symbol)
  }

  // contracts converts a quantity of base coin to an amount of CCXT.
  contracts(base) {
    return Precise.stringDiv(base, String(this.market.contractSize))
  }

  // base converts an amount of CCXT to base coin.
  base(contracts) {
    return contracts === undefined ? undefined : Precise.stringMul(String(contracts), String(this.market.contractSize))
  }

  order(type, side, base, price, params = {}) {
    return this.exchange.createOrder(symbol, type, side, this.contracts(base), price, params)
  }

  fetch(id, params = {}) {
    return this.exchange.fetchOrder(id, symbol, { ...this.venue.fetchParams, ...params })
  }

  // waitForStatus waits until an order has a status, for venues that acknowledge first
  // and execute later.
  waitForStatus(id, status, params = {}) {
    return eventually(`order ${id} to be ${status}`, async () => {
      const order = await this.fetch(id, params)
      return order.status === status && order
    })
  }

  // buy opens a position with a market order.
  async buy(base, params = {}) {
    const { id } = await this.order('market', 'buy', base, undefined, params)
    return this.waitForStatus(id, 'closed')
  }

  openIds(params = {}) {
    return this.exchange.fetchOpenOrders(symbol, undefined, undefined, params).then((orders) => orders.map((o) => o.id))
  }

  async position(side) {
    const rows = await this.exchange.fetchPositions([symbol])
    return rows.find((row) => !Precise.stringEq(row.contracts, '0') && (!side || row.side === side))
  }

  move(price) {
    return this.control.market({ symbol: canonical, price })
  }

  // orderFeed opens the order stream. Its messages are kept for the ledger.
  orderFeed() {
    this.orders = new Feed(() => this.exchange.watchOrders(symbol), () => this.exchange.orders)
    return this.orders.open('the order stream', () => this.placeAndCancel())
  }

  // tradeFeed opens the stream of the account's fills.
  tradeFeed() {
    this.trades = new Feed(() => this.exchange.watchMyTrades(symbol), () => this.exchange.myTrades)
    return this.trades.open('the stream of fills', () => this.order('market', 'buy', '0.002'))
  }

  // waitForOrder waits for a message of the order stream about an order that accept
  // returns true for.
  waitForOrder(what, id, accept) {
    return this.orders.waitFor(what, (order) => order.id === id && accept(order))
  }

  // placeAndCancel places an order far from the market and cancels it.
  async placeAndCancel() {
    const { id } = await this.order('limit', 'buy', '0.01', '63000')
    await this.exchange.cancelOrder(id, symbol)
  }

  async close() {
    await this.exchange.close()
  }
}

