// The account on the stream: orders, fills, positions and balances.
import { Cache } from './cache.js'
import { WatchMarkets } from './watch_markets.js'

const finals = ['filled', 'cancelled', 'rejected', 'expired', 'replaced']
const isFinal = ({ status }) => finals.includes(status)

export class WatchAccount extends WatchMarkets {
  handlers() {
    return { ...super.handlers(), orders: this.handleOrders, positions: this.handlePositions, account: this.handleBalances }
  }

  // ofSymbols returns a function that reports whether a record is of one of the symbols; if
  // there are none, every record is wanted.
  ofSymbols(symbols) {
    return symbols?.length ? (record) => symbols.includes(record.symbol) : undefined
  }

  async watchOrders(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const symbols = symbol === undefined ? undefined : [this.market(symbol).symbol]
    this.orders ??= new Cache(this.options.ordersLimit)
    const orders = await this.news(this.orders, `orders:${symbols ?? ''}`, ['orders'], this.ofSymbols(symbols))
    return this.filterBySinceLimit(orders, since, limit, 'timestamp', true)
  }

  // watchMyTrades returns fills. The stream reports that an order has traded; its fills are
  // read through REST.
  async watchMyTrades(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const symbols = symbol === undefined ? undefined : [this.market(symbol).symbol]
    this.myTrades ??= new Cache(this.options.tradesLimit)
    const trades = await this.news(this.myTrades, `fills:${symbols ?? ''}`, ['orders'], this.ofSymbols(symbols))
    return this.filterBySinceLimit(trades, since, limit, 'timestamp', true)
  }

  // handleOrders handles the snapshot of open orders or the change of one. After a
  // reconnect, what was missed is read.
  handleOrders(client, subscription, { type, data, ts }) {
    if (type === 'update') {
      this.handleOrder(client, subscription, data)
    } else {
      const known = this.seenUntil
      for (const order of data) this.handleOrder(client, subscription, order, known === undefined)
      if (known !== undefined) this.spawn(this.readMissed, client, subscription, data, known)
    }
    this.seenUntil = ts
  }

  // handleOrder keeps an order, and of an open one the filled quantity in openQty. An old one,
  // which was open before the first subscription, is not returned by the watch methods.
  handleOrder(client, subscription, record, isOld = false) {
    if (record.exchange !== this.venue()) return
    this.openQty ??= new Map()
    const hasTraded = this.openQty.get(record.orderId) !== record.filledQty && Number(record.filledQty) > 0
    if (isFinal(record)) this.openQty.delete(record.orderId)
    else this.openQty.set(record.orderId, record.filledQty)
    if (hasTraded && this.myTrades) this.spawn(this.readFills, client, subscription, record.orderId, isOld)
    if (!this.orders) return
    const known = this.orders.byId(record.orderId)?.info
    if (known?.updatedAt > record.updatedAt || this.json(known) === this.json(record)) return
    const order = this.parseOrder(record)
    this.orders.append(order, isOld)
    if (!isOld) this.resolveAll(client, subscription, 'orders:', order)
  }

  resolveAll(client, { hashes }, prefix, record) {
    for (const hash of hashes) if (hash.startsWith(prefix)) this.publish(client, record, hash)
  }

  // readFills reads the fills of an order. They are handled in the order of the reports, whichever
  // answer comes first.
  readFills(client, subscription, orderId, isOld) {
    const answer = this.privateGetV1Fills({ exchange: this.venue(), orderId, limit: 500 })
    this.fillsHandled = this.handleFills(client, subscription, orderId, isOld, answer, this.fillsHandled)
    return this.fillsHandled
  }

  async handleFills(client, subscription, orderId, isOld, answer, earlier) {
    try {
      const [{ items }] = await Promise.all([answer, earlier])
      for (const fill of items.reverse()) this.handleFill(client, subscription, fill, isOld)
    } catch (error) {
      this.openQty.delete(orderId)
      for (const hash of subscription.hashes) if (hash.startsWith('fills:')) this.refuse(client, error, hash)
    }
  }

  handleFill(client, subscription, record, isOld) {
    if (this.myTrades.byId(record.fillId)) return
    const trade = this.parseTrade(record)
    this.myTrades.append(trade, isOld)
    if (!isOld) this.resolveAll(client, subscription, 'fills:', trade)
  }

  // readMissed reads orders that were placed after a time, and those that were open then and
  // are not listed any more.
  async readMissed(client, subscription, open, since) {
    try {
      const placed = await this.pages('privateGetV1Orders', { exchange: this.venue(), status: 'all', from: since, limit: 500 }, Infinity)
      const listed = new Set([...open, ...placed].map(({ orderId }) => orderId))
      const closed = [...this.openQty.keys()].filter((id) => !listed.has(id))
      const records = await Promise.all(closed.map((id) => this.privateGetV1OrdersId({ id })))
      for (const record of [...placed.reverse(), ...records]) this.handleOrder(client, subscription, record)
    } catch (error) {
      for (const hash of subscription.hashes) this.refuse(client, error, hash)
    }
  }

  async watchPositions(symbols = undefined, since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    symbols = this.marketSymbols(symbols)
    this.positions ??= new Cache(Infinity, ({ symbol, side }) => `${symbol}:${side}`)
    const positions = await this.news(this.positions, `positions:${symbols ?? ''}`, ['positions'], this.ofSymbols(symbols))
    return this.filterBySinceLimit(positions, since, limit, 'timestamp', true)
  }

  // handlePositions handles the snapshot of open positions, in which closed ones are absent,
  // or the change of one.
  handlePositions(client, subscription, { type, data }) {
    const records = (type === 'snapshot' ? data : [data]).filter(({ exchange }) => exchange === this.venue())
    const positions = records.map((record) => this.parsePosition(record))
    const isListed = ({ symbol, side }) => positions.some((one) => one.symbol === symbol && one.side === side)
    const closed = type === 'snapshot' ? this.positions.filter((one) => Number(one.contracts) && !isListed(one)) : []
    for (const position of [...positions, ...closed.map((one) => ({ ...one, contracts: this.parseNumber('0') }))]) {
      this.positions.append(position)
      this.resolveAll(client, subscription, 'positions:', position)
    }
  }

  async watchBalance(params = {}) {
    await this.loadMarkets()
    return this.next('balance', ['account'])
  }

  handleBalances(client, subscription, { type, data }) {
    const records = (type === 'snapshot' ? data : [data]).filter(({ exchange }) => exchange === this.venue())
    if (!records.length) return
    const changed = new Set(records.map(({ currency }) => currency))
    const others = (this.balance.info ?? []).filter(({ currency }) => !changed.has(currency))
    this.balance = this.parseBalance([...others, ...records])
    this.publish(client, this.balance, 'balance')
  }
}
