// Account: balance, fees, leverage, position modes, positions.
import ccxt from '../ccxt.js'
import { check, equal, eventually, matches } from '../expect.js'
import { symbol } from '../trader.js'

const { Precise } = ccxt

export default {
  async status(t) {
    matches('status', await t.exchange.fetchStatus(), { status: 'ok' })
  },

  async clock(t) {
    const off = Math.abs((await t.exchange.fetchTime()) - Date.now())
    check(off < 1000, `the venue's clock is ${off} ms away`)
  },

  async balance(t) {
    matches('USDT', (await t.exchange.fetchBalance()).USDT, { free: 100000, used: 0, total: 100000 })
    await t.buy('0.1')
    const { free, used, total } = (await t.exchange.fetchBalance()).USDT
    check(Precise.stringGt(used, '0'), `a position uses ${used}`)
    check(Precise.stringLt(total, '100000'), `no fee was taken from ${total}`)
    equal('free and used', Precise.stringAdd(free, used), total)
  },

  async fees(t) {
    const fee = await t.exchange.fetchTradingFee(symbol)
    matches('fee', fee, { maker: t.venue.fees.maker, taker: t.venue.fees.taker })
  },

  async leverage(t) {
    await t.exchange.setLeverage(7, symbol)
    if (t.exchange.has.fetchLeverage) {
      const read = await t.exchange.fetchLeverage(symbol, { marginMode: 'cross' })
      matches('leverage', read, { longLeverage: 7, shortLeverage: 7 })
    }
    await t.buy('0.01')
    const position = await t.position()
    if (position.leverage !== undefined) equal('leverage of the position', position.leverage, 7)
  },

  async 'own-calls'(t) {
    await t.venue.ownCalls(t)
  },

  async 'position-mode'(t) {
    equal('hedged', (await t.exchange.fetchPositionMode(symbol)).hedged, false)
    await t.exchange.setPositionMode(true, symbol)
    equal('hedged', (await t.exchange.fetchPositionMode(symbol)).hedged, true)
  },

  async positions(t) {
    check(!(await t.position()), 'a new account has a position')
    const { average } = await t.buy('0.02')
    const long = await eventually('the mark price', async () => {
      const found = await t.position()
      return found?.markPrice && found
    })
    matches('long position', long, { side: 'long', entryPrice: average, hedged: false, marginMode: long.marginMode })
    equal('size', t.base(long.contracts), '0.02')
    equal('unrealized profit', long.unrealizedPnl, Precise.stringMul(Precise.stringSub(long.markPrice, average), '0.02'))

    const { id } = await t.order('market', 'sell', '0.05')
    await t.waitForStatus(id, 'closed')
    const short = await t.position()
    matches('short position', short, { side: 'short' })
    equal('size', t.base(short.contracts), '0.03')
  },

  async hedge(t) {
    await t.exchange.setPositionMode(true, symbol)
    await t.buy('0.02', t.venue.hedgedOrder('long'))
    const { id } = await t.order('market', 'sell', '0.03', undefined, t.venue.hedgedOrder('short'))
    await t.waitForStatus(id, 'closed')
    equal('long', t.base((await t.position('long')).contracts), '0.02')
    equal('short', t.base((await t.position('short')).contracts), '0.03')
  },
}
