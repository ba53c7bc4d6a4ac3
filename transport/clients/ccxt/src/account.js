// Balances and positions of the account at the venue.
import { Precise } from 'ccxt'
import { Markets } from './markets.js'

export class Account extends Markets {
  // fetchBalance returns the balances in all currencies in which the markets settle.
  async fetchBalance(params = {}) {
    await this.loadMarkets()
    const currencies = [...new Set(Object.values(this.markets).map(({ settleId }) => settleId))]
    const answers = await Promise.all(currencies.map((currency) => this.privateGetV1Account({ exchange: this.venue(), currency, ...params })))
    return this.parseBalance(answers.flatMap(({ items }) => items))
  }

  parseBalance(records) {
    const result = { info: records }
    for (const { currency, equity, available, usedMargin } of records) {
      result[this.safeCurrencyCode(currency)] = { total: equity, free: available, used: usedMargin }
    }
    return this.safeBalance(result)
  }

  async fetchPosition(symbol, params = {}) {
    return (await this.fetchPositions([symbol], params))[0]
  }

  async fetchPositions(symbols = undefined, params = {}) {
    await this.loadMarkets()
    const request = symbols?.length === 1 ? this.instrument(this.market(symbols[0])) : { exchange: this.venue() }
    const { items } = await this.privateGetV1Positions({ ...request, ...params })
    return this.parsePositions(items, symbols)
  }

  parsePosition(position, market = undefined) {
    market = this.safeMarket(position.symbol, market, undefined, 'contract')
    const timestamp = this.parse8601(position.openedAt)
    const { qty, markPrice } = position
    return this.safePosition({
      symbol: market.symbol, side: position.side, hedged: false, timestamp, datetime: this.iso8601(timestamp),
      lastUpdateTimestamp: this.parse8601(position.updatedAt), contractSize: market.contractSize,
      contracts: this.parseNumber(this.toContracts(qty, market.contractSize)),
      notional: markPrice === null ? undefined : this.parseNumber(Precise.stringMul(qty, markPrice)),
      entryPrice: this.safeNumber(position, 'entryPrice'), markPrice: this.safeNumber(position, 'markPrice'),
      liquidationPrice: this.safeNumber(position, 'liquidationPrice'), unrealizedPnl: this.safeNumber(position, 'unrealizedPnl'),
      leverage: this.safeNumber(position, 'leverage'), marginMode: position.marginMode ?? undefined,
      stopLossPrice: this.safeNumber(position, 'stopLoss'), takeProfitPrice: this.safeNumber(position, 'takeProfit'), info: position,
    })
  }

  async setLeverage(leverage, symbol = undefined, params = {}) {
    this.checkRequiredArgument('setLeverage', symbol, 'symbol')
    await this.loadMarkets()
    return this.privatePostV1PositionsLeverage({ ...this.instrument(this.market(symbol)), leverage: this.numberToString(leverage), ...params })
  }
}
