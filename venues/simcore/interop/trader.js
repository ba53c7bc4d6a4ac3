// A trader is a funded account of a simulated venue with CCXT on it. Every case
// has one of its own, so that no case sees the orders of another.
import ccxt from 'ccxt'
import { Control } from './control.js'
import { eventually } from './expect.js'
import { Feed } from './feed.js'

const { Precise } = ccxt

export const symbol = 'BTC/USDT:USDT'
export const canonical = 'BTCUSDT'
export const startPrice = '65000'
// balance is what each account begins with.
export const balance = '100000'

// connect makes CCXT's client of a venue, pointed at the simulator. Numbers stay
// text, as the venue sent them; CCXT's throttle is off because the simulator's
// limits are those of the venue.
export async function connect(venue, sim, credentials, markets) {
  const exchange = new ccxt.pro[venue.id]({
    apiKey: credentials.apiKey,
    secret: credentials.apiSecret,
    password: credentials.passphrase,
    number: String,
    enableRateLimit: false,
    options: venue.options,
  })
  // The simulators have no asset service; CCXT asks it for the currencies.
  exchange.has.fetchCurrencies = false
  venue.route(exchange.urls.api, sim)
  pinDown(exchange.urls.api, sim)
  venue.adjust?.(exchange)
  // What plain ws:// needs; there is no proxy.
  await exchange.loadHttpProxyAgent()
  if (markets) exchange.setMarkets(markets)
  return exchange
}

// pinDown takes away the addresses that a venue's route has left: nothing may
// leave for the real venue.
function pinDown(urls, sim) {
  for (const [service, url] of Object.entries(urls)) {
    if (typeof url === 'object') pinDown(url, sim)
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

  // contracts is an amount of base coin as CCXT wants it.
  contracts(base) {
    return Precise.stringDiv(base, String(this.market.contractSize))
  }

  // base is an amount of CCXT's in base coin.
  base(contracts) {
    return contracts === undefined ? undefined : Precise.stringMul(String(contracts), String(this.market.contractSize))
  }

  order(type, side, base, price, params = {}) {
    return this.exchange.createOrder(symbol, type, side, this.contracts(base), price, params)
  }

  fetch(id, params = {}) {
    return this.exchange.fetchOrder(id, symbol, { ...this.venue.fetchParams, ...params })
  }

  // becomes waits until an order has a status, for venues that acknowledge first
  // and act later.
  becomes(id, status, params = {}) {
    return eventually(`order ${id} to be ${status}`, async () => {
      const order = await this.fetch(id, params)
      return order.status === status && order
    })
  }

  // bought opens a position with a market order.
  async bought(base, params = {}) {
    const { id } = await this.order('market', 'buy', base, undefined, params)
    return this.becomes(id, 'closed')
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

  // orderFeed is the order stream, opened. What it told is kept for the ledger.
  orderFeed() {
    this.orders = new Feed(() => this.exchange.watchOrders(symbol), () => this.exchange.orders)
    return this.orders.opened('the order stream', () => this.ripple())
  }

  // tradeFeed is the stream of the account's fills, opened.
  tradeFeed() {
    this.trades = new Feed(() => this.exchange.watchMyTrades(symbol), () => this.exchange.myTrades)
    return this.trades.opened('the stream of fills', () => this.order('market', 'buy', '0.002'))
  }

  // hears waits until the order stream says of an order what is accepted.
  hears(what, id, accept) {
    return this.orders.heard(what, (order) => order.id === id && accept(order))
  }

  // ripple places an order far from the market and takes it back.
  async ripple() {
    const { id } = await this.order('limit', 'buy', '0.01', '63000')
    await this.exchange.cancelOrder(id, symbol)
  }

  async close() {
    await this.exchange.close()
  }
}

