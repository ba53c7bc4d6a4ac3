// Instruments and market data. CCXT counts quantities in contracts of the venue, the
// service in base coin: contractSize of a market is the factor.
import { BadSymbol, Precise } from 'ccxt'
import { Rest } from './rest.js'

const depths = [1, 5, 10, 20, 50, 100, 200]
const statuses = { up: 'ok', degraded: 'ok', maintenance: 'maintenance', down: 'error' }

export class Markets extends Rest {
  async fetchTime(params = {}) {
    const { serverTime } = await this.publicGetV1Time(params)
    return this.parse8601(serverTime)
  }

  async fetchStatus(params = {}) {
    const { items } = await this.privateGetV1Venues(params)
    const info = items.find(({ exchange }) => exchange === this.venue())
    const status = info ? statuses[info.status] : 'error'
    return { status, updated: info && this.parse8601(info.since), eta: undefined, url: undefined, info }
  }

  async fetchMarkets(params = {}) {
    const list = await this.pages('privateGetV1Instruments', { exchange: this.venue(), limit: 1000, ...params }, Infinity)
    return list.map((instrument) => this.parseMarket(instrument))
  }

  parseMarket(instrument) {
    const { symbol: id, kind, contractSize } = instrument
    const [base, quote, settle] = ['baseCurrency', 'quoteCurrency', 'settleCurrency'].map((field) => this.safeCurrencyCode(instrument[field]))
    const delivery = kind === 'future' ? `-${id.split('-').at(-1)}` : ''
    const contracts = (field) => this.parseNumber(this.toContracts(instrument[field], contractSize))
    return this.safeMarketStructure({
      id, symbol: `${base}/${quote}:${settle}${delivery}`,
      base, quote, settle, baseId: instrument.baseCurrency, quoteId: instrument.quoteCurrency, settleId: instrument.settleCurrency,
      type: kind === 'future' ? 'future' : 'swap', spot: false, margin: false, swap: kind !== 'future', future: kind === 'future', option: false,
      active: instrument.status === 'trading', contract: true, linear: settle === quote, inverse: settle === base,
      subType: settle === base ? 'inverse' : 'linear', contractSize: this.parseNumber(contractSize),
      precision: { price: this.safeNumber(instrument, 'tickSize'), amount: contracts('qtyStep') },
      limits: {
        amount: { min: contracts('minQty'), max: contracts('maxQty') },
        cost: { min: this.safeNumber(instrument, 'minNotional'), max: undefined },
        leverage: { min: undefined, max: this.safeNumber(instrument, 'maxLeverage') },
      },
      info: instrument,
    })
  }

  // toContracts converts base coin to contracts.
  toContracts(base, contractSize) {
    return base === null || base === undefined ? undefined : Precise.stringDiv(base, String(contractSize))
  }

  // toBase converts contracts to base coin, rounded down to the step of the market.
  toBase(symbol, amount) {
    return Precise.stringMul(this.amountToPrecision(symbol, amount), this.numberToString(this.market(symbol).contractSize))
  }

  // instrument returns the parameters of a request about one market.
  instrument(market) {
    return { exchange: this.venue(), symbol: market.id }
  }

  async fetchTicker(symbol, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const { items } = await this.privateGetV1Tickers({ ...this.instrument(market), ...params })
    if (!items.length) throw new BadSymbol(`${this.id} has no ticker of ${symbol}`)
    return this.parseTicker(items[0], market)
  }

  async fetchTickers(symbols = undefined, params = {}) {
    await this.loadMarkets()
    const { items } = await this.privateGetV1Tickers({ exchange: this.venue(), ...params })
    return this.parseTickers(items, symbols)
  }

  parseTicker(ticker, market = undefined) {
    market = this.safeMarket(ticker.symbol, market, undefined, 'contract')
    const timestamp = this.parse8601(ticker.ts)
    return this.safeTicker({
      symbol: market.symbol, timestamp, datetime: this.iso8601(timestamp),
      last: ticker.last, close: ticker.last, high: ticker.high24h, low: ticker.low24h,
      bid: ticker.bid, bidVolume: this.toContracts(ticker.bidQty, market.contractSize),
      ask: ticker.ask, askVolume: this.toContracts(ticker.askQty, market.contractSize),
      baseVolume: ticker.volume24h, quoteVolume: ticker.turnover24h, markPrice: ticker.mark, indexPrice: ticker.index, info: ticker,
    }, market)
  }

  async fetchFundingRate(symbol, params = {}) {
    const { info } = await this.fetchTicker(symbol, params)
    return this.parseFundingRate(info, this.market(symbol))
  }

  async fetchFundingRates(symbols = undefined, params = {}) {
    const tickers = await this.fetchTickers(symbols, params)
    const rates = Object.values(tickers).map(({ info }) => info).filter(({ fundingRate }) => fundingRate !== null)
    return this.parseFundingRates(rates, this.marketSymbols(symbols))
  }

  parseFundingRate(ticker, market = undefined) {
    const timestamp = this.parse8601(ticker.ts)
    const next = this.parse8601(ticker.nextFundingAt)
    return {
      symbol: this.safeSymbol(ticker.symbol, market, undefined, 'contract'), timestamp, datetime: this.iso8601(timestamp),
      markPrice: this.safeNumber(ticker, 'mark'), indexPrice: this.safeNumber(ticker, 'index'),
      fundingRate: this.safeNumber(ticker, 'fundingRate'), fundingTimestamp: next, fundingDatetime: this.iso8601(next), info: ticker,
    }
  }

  // depthOf returns the least depth of the service that has limit levels.
  depthOf(limit) {
    return depths.find((depth) => depth >= limit) ?? depths.at(-1)
  }

  async fetchOrderBook(symbol, limit = 20, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const answer = await this.privateGetV1Book({ ...this.instrument(market), depth: this.depthOf(limit), ...params })
    return this.parseBook(answer, market, limit)
  }

  parseBook({ data, seq, ts, venueTs }, market, limit) {
    const side = (levels) => this.parseLevels(levels, market).slice(0, limit)
    const timestamp = this.parse8601(venueTs ?? ts)
    return { symbol: market.symbol, bids: side(data.bids), asks: side(data.asks), timestamp, datetime: this.iso8601(timestamp), nonce: seq }
  }

  // parseLevels returns levels as CCXT's books have them, with binary numbers.
  parseLevels(levels, market) {
    return levels.map(([price, qty]) => [Number(price), Number(this.toContracts(qty, market.contractSize))])
  }

  async fetchTrades(symbol, since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const { items } = await this.privateGetV1Trades({ ...this.instrument(market), limit: Math.min(limit ?? 100, 1000), ...params })
    return this.parseTrades(items, market, since, limit)
  }

  async fetchOHLCV(symbol, timeframe = '1m', since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const { until, ...rest } = params
    const span = { ...(since !== undefined && { from: this.iso8601(since) }), ...(until !== undefined && { to: this.iso8601(until) }) }
    const request = { ...this.instrument(market), timeframe: this.safeString(this.timeframes, timeframe, timeframe), limit: Math.min(limit ?? 500, 1500) }
    const { items } = await this.privateGetV1Candles({ ...request, ...span, ...rest })
    return this.parseOHLCVs(items, market, timeframe, since, limit)
  }

  // parseOHLCV returns a candle; its volume is in base coin.
  parseOHLCV({ start, open, high, low, close, volume }) {
    return [this.parse8601(start), ...[open, high, low, close, volume].map((number) => this.parseNumber(number))]
  }
}
