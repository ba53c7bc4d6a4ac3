// Markets: the instruments that CCXT reads, compared with those that this project's
// connector reads from the same simulator.
import { check, equal, rejected } from '../expect.js'
import ccxt from '../ccxt.js'

const { Precise } = ccxt

export default {
  async listing(t) {
    const tradable = t.ours.filter((i) => i.status === 'trading').map((i) => i.symbol)
    const active = t.exchange.symbols.filter((s) => t.exchange.market(s).active)
    equal('active markets', active.map(plain).sort().join(), tradable.sort().join())
  },

  // An instrument that is halted is listed, and the venue rejects its orders.
  async halted(t) {
    const inactive = t.exchange.symbols.filter((s) => !t.exchange.market(s).active)
    equal('halted markets', inactive, 'OMG/USDT:USDT')
    equal('status', ourInstrument(t, inactive[0]).status, t.venue.inactiveStatus ?? 'halted')
    await rejected(ccxt.ExchangeError, () => t.exchange.createOrder(inactive[0], 'limit', 'buy', '100', '0.31'))
  },

  async precision(t) {
    eachMarket(t, (market, ours) => {
      equal(`${ours.symbol}: tick`, market.precision.price, ours.tickSize)
      equal(`${ours.symbol}: step`, inBase(market, market.precision.amount), ours.qtyStep)
    })
  },

  async limits(t) {
    eachMarket(t, ({ limits, ...market }, ours) => {
      equal(`${ours.symbol}: least amount`, inBase(market, limits.amount.min), ours.minQty)
      // The connector reads each venue's maximum; CCXT has only some.
      if (limits.amount.max !== undefined) equal(`${ours.symbol}: most amount`, inBase(market, limits.amount.max), ours.maxQty)
      if (limits.cost.min !== undefined) equal(`${ours.symbol}: least cost`, limits.cost.min, ours.minNotional)
    })
  },

  async 'contract-size'(t) {
    eachMarket(t, (market, ours) => {
      equal(`${ours.symbol}: contract size`, market.contractSize, ours.contractSize)
      check(market.linear && market.swap && market.settle === 'USDT', `${ours.symbol} is no linear swap`)
    })
  },

  async leverage(t) {
    for (const symbol of t.exchange.symbols.slice(0, 3)) {
      const base = t.exchange.market(symbol).base
      // OKX documents the family, CCXT still sends the underlying.
      const tiers = await t.exchange.fetchMarketLeverageTiers(symbol, t.venue.tierParams?.(base) ?? {})
      const most = ourInstrument(t, symbol).maxLeverage
      // Binance returns it only to the owner of a key.
      if (most !== null) equal(`${symbol}: leverage of the first tier`, tiers[0].maxLeverage, most)
      tiers.slice(1).forEach((tier, i) => {
        check(Precise.stringLt(tier.maxLeverage, tiers[i].maxLeverage), `${symbol}: tier ${i + 2} allows no less leverage`)
        equal(`${symbol}: floor of tier ${i + 2}`, tier.minNotional, tiers[i].maxNotional)
      })
    }
  },
}

function plain(symbol) {
  return symbol.replace('/', '').replace(/:.*/, '')
}

function ourInstrument(t, symbol) {
  const found = t.ours.find((i) => i.symbol === plain(symbol))
  check(found, `our connector does not know ${symbol}`)
  return found
}

function inBase(market, contracts) {
  return Precise.stringMul(String(contracts), String(market.contractSize))
}

function eachMarket(t, hold) {
  check(t.exchange.symbols.length > 0, 'there are no markets')
  for (const symbol of t.exchange.symbols) hold(t.exchange.market(symbol), ourInstrument(t, symbol))
}
