// Orders and fills as CCXT has them, and their lists.
import { OrderNotFound } from 'ccxt'
import { Account } from './account.js'

// statuses: CCXT has no status for an order whose outcome is not known yet. It is open,
// because it may still trade: it must neither be placed again nor be counted as done.
const statuses = {
  pending: 'open', unknown: 'open', untriggered: 'open', open: 'open', partially_filled: 'open',
  filled: 'closed', cancelled: 'canceled', replaced: 'canceled', rejected: 'rejected', expired: 'expired',
}

// The service lists at most 500 records in a page. Fewer than 100 are not requested, because
// some of them may be filtered out here.
const pageLimit = 500
const leastPage = 100
const dayMs = 24 * 60 * 60 * 1000
// fillDaysMax is the longest period of a list of fills.
const fillDaysMax = 31

export class Records extends Account {
  parseOrder(order, market = undefined) {
    market = this.safeMarket(order.symbol, market, undefined, 'contract')
    const contracts = (field) => this.toContracts(order[field], market.contractSize)
    const timestamp = this.parse8601(order.createdAt)
    return this.safeOrder({
      id: order.orderId, clientOrderId: order.requestId ?? undefined, symbol: market.symbol,
      timestamp, datetime: this.iso8601(timestamp), lastUpdateTimestamp: this.parse8601(order.updatedAt),
      type: order.type.replace('stop_', ''), side: order.side, status: statuses[order.status],
      timeInForce: order.postOnly ? 'PO' : this.safeStringUpper(order, 'timeInForce'), postOnly: order.postOnly, reduceOnly: order.reduceOnly,
      price: order.price, triggerPrice: order.triggerPrice ?? undefined, average: order.avgPrice,
      stopLossPrice: order.stopLoss ?? undefined, takeProfitPrice: order.takeProfit ?? undefined,
      amount: contracts('qty'), filled: contracts('filledQty'), remaining: contracts('remainingQty'),
      fee: order.fee === null ? undefined : { cost: order.fee, currency: this.safeCurrencyCode(order.feeCurrency) }, info: order,
    }, market)
  }

  // parseTrade returns a public trade or a fill.
  parseTrade(trade, market = undefined) {
    const isFill = 'fillId' in trade
    market = this.safeMarket(trade.symbol, market, undefined, 'contract')
    const timestamp = this.parse8601(isFill ? trade.executedAt : trade.ts)
    const fill = isFill && {
      order: trade.orderId ?? undefined, takerOrMaker: trade.liquidity ?? undefined,
      fee: trade.fee === null ? undefined : { cost: trade.fee, currency: this.safeCurrencyCode(trade.feeCurrency) },
    }
    return this.safeTrade({
      id: isFill ? trade.fillId : trade.id, symbol: market.symbol, timestamp, datetime: this.iso8601(timestamp), side: trade.side,
      price: trade.price, amount: this.toContracts(trade.qty, market.contractSize), ...fill, info: trade,
    }, market)
  }

  // findOrder returns the newest record with a client order id.
  async findOrder(clientOrderId) {
    const { items } = await this.privateGetV1Orders({ exchange: this.venue(), requestId: clientOrderId, status: 'all', limit: 1 })
    if (!items.length) throw new OrderNotFound(`${this.id} has no order with the client order id ${clientOrderId}`)
    return items[0]
  }

  async fetchOrder(id, symbol = undefined, params = {}) {
    await this.loadMarkets()
    const { clientOrderId, ...rest } = params
    return this.parseOrder(clientOrderId ? await this.findOrder(clientOrderId) : await this.privateGetV1OrdersId({ id, ...rest }))
  }

  // fetchByStatus lists orders of a status of the service. With params.trigger only stop
  // orders are listed, or none of them if it is false.
  async fetchByStatus(status, symbol, since, limit, { trigger, ...params }, accept = () => true) {
    await this.loadMarkets()
    const market = symbol === undefined ? undefined : this.market(symbol)
    const count = since !== undefined || (status === 'open' && limit === undefined) ? Infinity : limit ?? 1
    const request = { ...(market ? this.instrument(market) : { exchange: this.venue() }), status, ...this.page(since, count, params) }
    const wanted = (order) => (trigger === undefined || order.type.startsWith('stop_') === trigger) && accept(statuses[order.status])
    const orders = await this.pages('privateGetV1Orders', request, count, wanted)
    return this.parseOrders(orders, market, since, limit)
  }

  // page returns the parameters of a list of count records. The service lists the newest
  // first, CCXT the first since a time: then all have to be read.
  page(since, count, { until, ...params }) {
    return {
      limit: Math.min(Math.max(count, leastPage), pageLimit),
      ...(since !== undefined && { from: this.iso8601(since) }), ...(until !== undefined && { to: this.iso8601(until) }), ...params,
    }
  }

  fetchOrders(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    return this.fetchByStatus('all', symbol, since, limit, params)
  }

  fetchOpenOrders(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    return this.fetchByStatus('open', symbol, since, limit, params)
  }

  fetchClosedOrders(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    return this.fetchByStatus('closed', symbol, since, limit, params, (status) => status === 'closed')
  }

  fetchCanceledOrders(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    return this.fetchByStatus('closed', symbol, since, limit, params, (status) => status === 'canceled')
  }

  fetchCanceledAndClosedOrders(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    return this.fetchByStatus('closed', symbol, since, limit, params)
  }

  // fetchMyTrades returns fills of at most 31 days: those since a time, or until one.
  async fetchMyTrades(symbol = undefined, since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const market = symbol === undefined ? undefined : this.market(symbol)
    const latest = since === undefined ? undefined : since + fillDaysMax * dayMs
    const until = params.until ?? (latest < this.milliseconds() ? latest : undefined)
    const count = since === undefined ? limit ?? 1 : Infinity
    const request = { ...(market ? this.instrument(market) : { exchange: this.venue() }), ...this.page(since, count, { ...params, until }) }
    const fills = await this.pages('privateGetV1Fills', request, count)
    return this.parseTrades(fills, market, since, limit)
  }

  fetchOrderTrades(id, symbol = undefined, since = undefined, limit = undefined, params = {}) {
    return this.fetchMyTrades(symbol, since, limit, { orderId: id, ...params })
  }
}
