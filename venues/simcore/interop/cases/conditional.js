// Conditional orders: triggers, stop losses, take profits, attached ones.
import { check, equal, eventually, matches } from '../expect.js'
import { symbol } from '../trader.js'

export default {
  async 'stop-market'(t) {
    const { id } = await t.order('market', 'buy', '0.01', undefined, { triggerPrice: '66000', triggerDirection: 'ascending' })
    const [waiting] = await openStops(t, 'stopParams')
    matches('open stop', waiting, { id, side: 'buy', triggerPrice: '66000', status: 'open' })
    equal('amount', t.base(waiting.amount), '0.01')
    await t.move('66100')
    await eventually('the stop to trade', () => t.position())
    equal('size', t.base((await t.position()).contracts), '0.01')
    equal('open stops', (await openStops(t, 'stopParams')).length, 0)
  },

  async 'stop-limit'(t) {
    await t.order('limit', 'buy', '0.01', '65900', { triggerPrice: '66000', triggerDirection: 'ascending' })
    await t.move('66100')
    const resting = await eventually('the limit order', async () => (await t.exchange.fetchOpenOrders(symbol))[0])
    matches('order', resting, { type: 'limit', side: 'buy', price: '65900', status: 'open' })
  },

  async 'stop-loss'(t) {
    await t.buy('0.02')
    await t.order('market', 'sell', '0.02', undefined, { stopLossPrice: '64000', reduceOnly: true })
    equal('open stops', (await openStops(t, 'protectionParams')).length, 1)
    await t.move('63900')
    await eventually('the position to be closed', async () => !(await t.position()))
  },

  async 'take-profit'(t) {
    await t.buy('0.02')
    await t.order('market', 'sell', '0.02', undefined, { takeProfitPrice: '66000', reduceOnly: true })
    equal('open stops', (await openStops(t, 'protectionParams')).length, 1)
    await t.move('66100')
    await eventually('the position to be closed', async () => !(await t.position()))
  },

  async 'attached-market'(t) {
    await t.buy('0.02', bracket('64000', '66000'))
    await eventually('the stops', async () => (await t.venue.attached(t)) > 0)
    await t.move('63900')
    await eventually('the position to be closed', async () => !(await t.position()))
    await eventually('the other stop to end', async () => (await t.venue.attached(t)) === 0)
  },

  async 'attached-limit'(t) {
    const { id } = await t.order('limit', 'buy', '0.02', '64500', bracket('63000', '66000'))
    await t.waitForStatus(id, 'open')
    await t.move('64400')
    await t.waitForStatus(id, 'closed')
    await eventually('the stops', async () => (await t.venue.attached(t)) > 0)
    await t.move('66100')
    await eventually('the position to be closed', async () => !(await t.position()))
  },

  async 'edit-stop'(t) {
    await t.buy('0.02')
    const { id } = await t.order('market', 'sell', '0.01', undefined, { stopLossPrice: '64000', reduceOnly: true })
    const { type, params } = t.venue.editedStop('63000')
    await t.exchange.editOrder(id, symbol, type, 'sell', t.contracts('0.02'), undefined, params)
    const stop = await eventually('the new trigger', async () => {
      const [found] = await openStops(t, 'protectionParams')
      return [found?.triggerPrice, found?.stopLossPrice].map(Number).includes(63000) && found
    })
    equal('amount', t.base(stop.amount), '0.02')
  },

  async 'cancel-stop'(t) {
    const { id } = await t.order('market', 'buy', '0.01', undefined, { triggerPrice: '66000', triggerDirection: 'ascending' })
    await t.exchange.cancelOrder(id, symbol, t.venue.stopParams)
    await eventually('no open stop', async () => (await openStops(t, 'stopParams')).length === 0)
    await t.move('66100')
    check(!(await t.position()), 'a cancelled stop traded')
  },

  async 'cancel-all-stops'(t) {
    for (const triggerPrice of ['66000', '66500']) {
      await t.order('market', 'buy', '0.01', undefined, { triggerPrice, triggerDirection: 'ascending' })
    }
    equal('open stops', (await openStops(t, 'stopParams')).length, 2)
    await t.exchange.cancelAllOrders(symbol, t.venue.stopParams)
    await eventually('no open stop', async () => (await openStops(t, 'stopParams')).length === 0)
  },
}

function openStops(t, params) {
  return t.exchange.fetchOpenOrders(symbol, undefined, undefined, t.venue[params])
}

function bracket(stopLoss, takeProfit) {
  return { stopLoss: { triggerPrice: stopLoss }, takeProfit: { triggerPrice: takeProfit } }
}
