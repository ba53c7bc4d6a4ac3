// Orders that are placed, changed and cancelled.
import { InvalidOrder, NotSupported } from 'ccxt'
import { Records } from './records.js'

// unsupported are parameters of CCXT that would change what an order does.
const unsupported = ['takeProfitPrice', 'trailingAmount', 'trailingPercent', 'trailingTriggerPrice', 'hedged', 'positionSide', 'cost']

export class Trading extends Records {
  async createOrder(symbol, type, side, amount, price = undefined, params = {}) {
    await this.loadMarkets()
    const request = this.orderRequest(symbol, type, side, amount, price, params)
    return this.parseOrder(await this.place('privatePostV1Orders', request), this.market(symbol))
  }

  // orderRequest returns the body of an order. Its requestId is made here, once, so that all
  // attempts have the same.
  orderRequest(symbol, type, side, amount, price, params) {
    for (const name of unsupported) {
      if (params[name] !== undefined && params[name] !== false) throw new NotSupported(`${this.id} createOrder() does not support ${name}`)
    }
    const { clientOrderId, requestId = clientOrderId ?? this.newRequestId(), ...rest } = params
    const [isPostOnly, given] = this.handlePostOnly(type.endsWith('market'), false, rest)
    const terms = this.omit(given, ['triggerPrice', 'stopPrice', 'stopLossPrice', 'triggerDirection', 'stopLoss', 'takeProfit', 'timeInForce', 'hedged'])
    const triggerPrice = given.triggerPrice ?? given.stopPrice ?? given.stopLossPrice
    const isStop = triggerPrice !== undefined
    this.checkDirection(side, given.triggerDirection)
    return {
      ...this.instrument(this.market(symbol)), side, type: isStop && !type.startsWith('stop') ? `stop_${type}` : type,
      qty: this.toBase(symbol, amount), ...(price !== undefined && !type.endsWith('market') && { price: this.priceToPrecision(symbol, price) }),
      ...(isStop && { triggerPrice: this.priceToPrecision(symbol, triggerPrice) }),
      ...(given.stopLossPrice !== undefined && { reduceOnly: true }), ...(isPostOnly && { postOnly: true }),
      ...(given.timeInForce && { timeInForce: given.timeInForce.toLowerCase() }), ...this.protection(symbol, given), requestId, ...terms,
    }
  }

  // checkDirection rejects stops that the service does not have: they buy when the price
  // rises to the trigger, and sell when it falls to it.
  checkDirection(side, direction) {
    const rises = { ascending: true, above: true, up: true, 1: true, descending: false, below: false, down: false, 2: false }[direction]
    if (rises !== undefined && rises !== (side === 'buy')) throw new NotSupported(`${this.id} has no stop order to ${side} with triggerDirection ${direction}`)
  }

  // protection returns the prices of an attached stop loss and take profit, which are market
  // orders; null removes one.
  protection(symbol, params) {
    const prices = {}
    for (const name of ['stopLoss', 'takeProfit']) {
      const given = params[name]
      if (given === undefined) continue
      if (given?.price !== undefined || given?.type?.includes('limit')) throw new NotSupported(`${this.id} ${name} is a market order`)
      const price = given === null || typeof given !== 'object' ? given : given.triggerPrice ?? given.stopPrice
      prices[name] = price === null ? null : this.priceToPrecision(symbol, price)
    }
    return prices
  }

  newRequestId() {
    return `ccxt-${this.uuid()}`
  }

  // editOrder changes what is given. Use the id of the result from then on: it is another
  // one where the venue cannot change an order. It is not repeated after a lost answer.
  async editOrder(id, symbol, _type, _side, amount = undefined, price = undefined, params = {}) {
    await this.loadMarkets()
    const { clientOrderId, ...given } = params
    const triggerPrice = given.triggerPrice ?? given.stopPrice ?? given.stopLossPrice
    const change = {
      ...(amount !== undefined && { qty: this.toBase(symbol, amount) }), ...(price !== undefined && { price: this.priceToPrecision(symbol, price) }),
      ...(triggerPrice !== undefined && { triggerPrice: this.priceToPrecision(symbol, triggerPrice) }), ...this.protection(symbol, given),
    }
    if (!Object.keys(change).length) throw new InvalidOrder(`${this.id} editOrder() requires a price, an amount, a triggerPrice, a stopLoss or a takeProfit`)
    const answer = await this.privatePatchV1OrdersId({ id: await this.orderId(id, clientOrderId), ...change, maxRetriesOnFailure: 0 })
    return this.parseOrder(answer, this.market(symbol))
  }

  async cancelOrder(id, symbol = undefined, params = {}) {
    await this.loadMarkets()
    return this.parseOrder(await this.privateDeleteV1OrdersId({ id: await this.orderId(id, params.clientOrderId) }))
  }

  async orderId(id, clientOrderId) {
    return clientOrderId === undefined ? id : (await this.findOrder(clientOrderId)).orderId
  }

  // cancelAllOrders cancels stop losses and take profits of open positions as well.
  async cancelAllOrders(symbol = undefined, params = {}) {
    await this.loadMarkets()
    const request = symbol === undefined ? { exchange: this.venue() } : this.instrument(this.market(symbol))
    const { items } = await this.privateDeleteV1Orders(request)
    return items.map((item) => this.safeOrder({
      id: item.orderId, symbol: this.safeSymbol(item.symbol, undefined, undefined, 'contract'),
      status: { cancelled: 'canceled', failed: 'open', unknown: 'open' }[item.result], info: item,
    }))
  }

  // closePosition closes a position, or params.amount contracts of it, at the market.
  async closePosition(symbol, _side = undefined, params = {}) {
    await this.loadMarkets()
    const { amount, clientOrderId, requestId = clientOrderId ?? this.newRequestId(), ...rest } = params
    const request = { ...this.instrument(this.market(symbol)), ...(amount !== undefined && { qty: this.toBase(symbol, amount) }), requestId, ...rest }
    return this.parseOrder(await this.place('privatePostV1PositionsClose', request), this.market(symbol))
  }
}
