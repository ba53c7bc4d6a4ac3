// Market data of the stream.
import { Cache } from './cache.js'
import { Stream } from './stream.js'

export class WatchMarkets extends Stream {
  handlers() {
    return { ...super.handlers(), book: this.handleBook, trades: this.handleTrade, kline: this.handleCandle }
  }

  // topic returns the name of a topic of a market, for instance book:binance:BTCUSDT:20.
  topic(kind, market, detail) {
    return [kind, this.venue(), market.id, detail].filter((part) => part !== undefined).join(':')
  }

  marketOf(topic) {
    return this.safeMarket(topic.split(':')[2], undefined, undefined, 'contract')
  }

  // watchOrderBook returns the book after each change. It has limit levels of a side.
  async watchOrderBook(symbol, limit = undefined, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const topic = this.topic('book', market, this.depthOf(limit ?? this.options.depth))
    const book = await this.next(topic, [topic])
    return book.limit()
  }

  handleBook(client, subscription, message, topic) {
    const market = this.marketOf(topic)
    const depth = Number(topic.split(':')[3])
    const timestamp = this.parse8601(message.venueTs ?? message.ts)
    if (message.type === 'snapshot') {
      subscription.book ??= this.orderBook({}, depth)
      subscription.book.reset(this.parseBook(message, market, depth))
    } else {
      for (const side of ['bids', 'asks']) {
        for (const level of this.parseLevels(message.data[side], market)) subscription.book[side].storeArray(level)
      }
      Object.assign(subscription.book, { timestamp, datetime: this.iso8601(timestamp), nonce: message.seq })
    }
    this.orderbooks[market.symbol] = subscription.book
    this.publish(client, subscription.book, topic)
    this.updateTicker(client, subscription, market, timestamp, this.bestOf(subscription.book))
  }

  bestOf({ bids, asks }) {
    return { bid: bids[0]?.[0], bidVolume: bids[0]?.[1], ask: asks[0]?.[0], askVolume: asks[0]?.[1] }
  }

  async watchTrades(symbol, since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const topic = this.topic('trades', market)
    const cache = this.trades[market.symbol] ??= new Cache(this.options.tradesLimit)
    return this.filterBySinceLimit(await this.news(cache, topic, [topic]), since, limit, 'timestamp', true)
  }

  handleTrade(client, subscription, { data }, topic) {
    const market = this.marketOf(topic)
    const trade = this.parseTrade(data, market)
    this.trades[market.symbol]?.append(trade)
    this.publish(client, trade, topic)
    this.updateTicker(client, subscription, market, trade.timestamp, { last: trade.price, close: trade.price })
  }

  async watchOHLCV(symbol, timeframe = '1m', since = undefined, limit = undefined, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    const topic = this.topic('kline', market, timeframe)
    this.ohlcvs[market.symbol] ??= {}
    const cache = this.ohlcvs[market.symbol][timeframe] ??= new Cache(this.options.OHLCVLimit, (candle) => candle[0])
    return this.filterBySinceLimit(await this.news(cache, topic, [topic]), since, limit, 0, true)
  }

  handleCandle(client, subscription, { data }, topic) {
    const market = this.marketOf(topic)
    const candle = this.parseOHLCV(data)
    this.ohlcvs[market.symbol][topic.split(':')[3]].append(candle)
    this.publish(client, candle, topic)
  }

  // watchTicker returns the last price and the best bid and ask as they change. The figures of
  // 24 hours are those of fetchTicker only, because the stream has none.
  async watchTicker(symbol, params = {}) {
    await this.loadMarkets()
    const market = this.market(symbol)
    return this.next(`ticker:${market.symbol}`, [this.topic('book', market, 1), this.topic('trades', market)])
  }

  updateTicker(client, { hashes }, market, timestamp, change) {
    const hash = `ticker:${market.symbol}`
    if (!hashes.has(hash)) return
    const { last, bid, bidVolume, ask, askVolume } = { ...this.tickers[market.symbol], ...change }
    const ticker = this.safeTicker({
      symbol: market.symbol, timestamp, datetime: this.iso8601(timestamp), last, close: last, bid, bidVolume, ask, askVolume, info: {},
    }, market)
    this.tickers[market.symbol] = ticker
    this.publish(client, ticker, hash)
  }

  forget(topic) {
    super.forget(topic)
    const [kind, , id] = topic.split(':')
    if (kind !== 'book') return
    const { symbol } = this.safeMarket(id, undefined, undefined, 'contract')
    delete this.orderbooks[symbol]
    delete this.tickers[symbol]
  }
}
