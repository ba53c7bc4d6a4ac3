// History: what became of positions, what changed the wallet, and funding. It is the last
// suite, because it moves the venue's clock over a funding.
import ccxt from '../ccxt.js'
import { check, equal, eventually, matches } from '../expect.js'
import { symbol, balance } from '../trader.js'

const { Precise } = ccxt
const fundingMs = 8 * 60 * 60 * 1000

export default {
  async 'closed-positions'(t) {
    await roundTrip(t)
    const history = await t.exchange.fetchPositionsHistory([symbol])
    equal('closed positions', history.length, 1)
    matches('position', history[0], { symbol, entryPrice: '65000.1' })
    const fees = Precise.stringMul(t.venue.fees.taker, '2602') // 0.02 at 65000.1 and at 65099.9
    equal('realized profit', history[0].realizedPnl, Precise.stringSub('1.996', fees))
  },

  // The changes of the wallet add up to its balance.
  async ledger(t) {
    await roundTrip(t)
    const entries = await t.exchange.fetchLedger('USDT')
    check(entries.length >= 2, `${entries.length} entries`)
    const changes = entries.map((entry) => signed(entry)).reduce((sum, change) => Precise.stringAdd(sum, change), '0')
    const { total } = (await t.exchange.fetchBalance()).USDT
    equal('balance', Precise.stringAdd(balance, changes), total)
  },

  // The orders are placed before the clock is moved, so that their times are not ahead.
  async funding(t) {
    await t.buy('0.02')
    await t.control.ahead(fundingMs, async () => {
      await t.exchange.loadTimeDifference()
      const paid = await eventually('the funding', async () => (await t.exchange.fetchFundingHistory(symbol))[0])
      matches('funding', paid, { symbol, code: 'USDT' })
      equal('amount', Precise.stringAbs(paid.amount), '0.13')
      const [rate] = (await t.exchange.fetchFundingRateHistory(symbol)).slice(-1)
      matches('rate', rate, { symbol, fundingRate: '0.0001' })
      check(rate.timestamp > Date.now(), `the funding was at ${rate.datetime}, want a time after now`)
      const ledger = await t.exchange.fetchLedger('USDT')
      check(ledger.some((entry) => Precise.stringEq(Precise.stringAbs(entry.amount), '0.13')), 'the funding is not in the ledger')
    })
    await t.exchange.loadTimeDifference()
  },
}

// roundTrip opens and closes a position with a profit of 1.996 before fees.
async function roundTrip(t) {
  await t.buy('0.02')
  await t.move('65100')
  const { id } = await t.order('market', 'sell', '0.02', undefined, { reduceOnly: true })
  await t.waitForStatus(id, 'closed')
}

// signed returns the amount of an entry, below zero for a cost.
function signed(entry) {
  return entry.direction === 'out' ? Precise.stringNeg(Precise.stringAbs(entry.amount)) : String(entry.amount)
}
