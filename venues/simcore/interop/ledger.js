// After the run: every order, fill, position and balance of all traders, as CCXT
// reports them, compared with the simulator's ledger. A case receives the traders and
// returns how many records it compared; a comparison, a trader and its rows.
import ccxt from './ccxt.js'
import { check, eventually, same } from './expect.js'
import { balance, symbol } from './trader.js'

const { Precise } = ccxt

// balancePrecision is the precision of balances on the venues.
const balancePrecision = '0.00000001'

const statuses = {
  new: 'open',
  partially_filled: 'open',
  filled: 'closed',
  cancelled: 'canceled',
}

const comparisons = {
  async orders(t, rows) {
    const orders = new Map((await t.venue.history(t)).map((order) => [idOf(t, order), order]))
    for (const id of orders.keys()) check(rows.some((row) => row.venueOrderId === id), `the ledger has no order ${id}`)
    for (const row of rows.filter(isOrder)) compareOrder(t, row, orders.get(row.venueOrderId), 'order', true)
    return rows.filter(isOrder).length
  },

  async fills(t, rows) {
    const ids = await t.venue.orderIds?.(t)
    const got = (await t.exchange.fetchMyTrades(symbol)).map((trade) => tradeText(trade, ids))
    const fills = fillsOf(t, rows)
    check(got.sort().join('\n') === fills.sort().join('\n'), `fills are\n${got.join('\n')}\nwant\n${fills.join('\n')}`)
    return fills.length
  },

  async positions(t, rows) {
    const positions = await t.exchange.fetchPositions([symbol])
    const got = positions.reduce((sum, row) => Precise.stringAdd(sum, signed(t, row)), '0')
    const { base } = net(t, rows)
    check(same(got, base), `the position is ${got}, want ${base} by the fills`)
    return positions.length
  },

  // Only accounts that traded and have no position: with one, CCXT reports the equity
  // on one venue and the wallet balance on another.
  async balances(t, rows) {
    const { base, money, traded } = net(t, rows)
    if (!traded || !same(base, '0')) return 0
    const { total } = (await t.exchange.fetchBalance()).USDT
    const off = Precise.stringAbs(Precise.stringSub(total, money))
    check(Precise.stringLe(off, balancePrecision), `the balance is ${total}, want ${money} by the fills`)
    return 1
  },

  async 'streamed-orders'(t, rows) {
    const orders = new Map((t.orders?.cache() ?? []).map((order) => [idOf(t, order), order]))
    const known = rows.filter((row) => orders.has(row.venueOrderId))
    for (const row of known) compareOrder(t, row, orders.get(row.venueOrderId), 'streamed order', t.venue.streamsOrderFees)
    return known.length
  },

  async 'streamed-fills'(t, rows) {
    const all = new Set(fillsOf(t, rows))
    const trades = t.trades?.cache() ?? []
    const ids = await t.venue.orderIds?.(t)
    for (const trade of trades) {
      const text = tradeText({ ...trade, fee: { cost: t.venue.streamedFee?.(trade.fee.cost) ?? trade.fee.cost } }, ids)
      check(all.has(text), `no fill is ${text}; there are\n${[...all].join('\n')}`)
    }
    return trades.length
  },
}

// net returns the sum of an account's fills: base coin, and money after fees.
function net(t, rows) {
  let [base, money, traded] = ['0', balance, false]
  for (const row of rows.filter(isOrder)) {
    for (const fill of row.fills ?? []) {
      const qty = row.side === 'buy' ? t.base(fill.qty) : Precise.stringNeg(t.base(fill.qty))
      base = Precise.stringAdd(base, qty)
      money = Precise.stringSub(Precise.stringSub(money, Precise.stringMul(qty, fill.price)), fill.fee)
      traded = true
    }
  }
  return { base, money, traded }
}

async function compareOne(t, name) {
  return comparisons[name](t, await t.control.ledger(t.account.id))
}

// compareAll compares every account and returns how many records were compared; none at all
// is a failure.
async function compareAll(traders, name) {
  let compared = 0
  for (const t of traders) {
    try {
      if (t.settled?.[name].error) throw t.settled[name].error
      compared += t.settled?.[name].count ?? await compareOne(t, name)
    } catch (error) {
      throw new Error(`${t.name}: ${error.message}`)
    }
  }
  check(compared > 0, 'nothing was compared')
  return `${compared} compared`
}

// settle compares an account that will not be there after the run.
export async function settle(t) {
  t.settled = {}
  for (const name of Object.keys(comparisons)) {
    let last
    const comparing = () => compareOne(t, name).then((count) => ({ count }), (error) => { last = error })
    t.settled[name] = await eventually(name, comparing).catch(() => ({ error: last }))
  }
}

export default Object.fromEntries(Object.keys(comparisons).map((name) => [name, (traders) => compareAll(traders, name)]))

function isOrder(row) {
  return row.kind === 'order' && row.status !== 'refused'
}

// idOf returns the venue's id of an order.
function idOf(t, order) {
  return t.venue.orderId?.(order) ?? order.id
}

// compareOrder compares one order with its row.
function compareOrder(t, row, order, what, withFee) {
  check(order, `${what} ${row.venueOrderId} (${row.type} ${row.side} ${row.status}) is unknown to CCXT`)
  const filled = total(row, 'qty')
  const expected = {
    clientOrderId: (!t.venue.orderIds && row.clientOrderId) || order.clientOrderId,
    side: row.side,
    type: row.type,
    status: row.status === 'expired' ? t.venue.expired : statuses[row.status],
    amount: t.contracts(row.baseQty),
    filled: row.filledQty,
    // A cancelled order of Bybit has no remaining quantity.
    remaining: row.status === 'cancelled' || row.status === 'expired' ? order.remaining : Precise.stringSub(row.qty, row.filledQty),
    price: row.type === 'limit' ? row.price : order.price,
    average: Precise.stringGt(filled, '0') ? average(row, filled, order.average) : order.average,
  }
  if (withFee && order.fee?.cost !== undefined) expected.fee = total(row, 'fee')
  for (const [field, want] of Object.entries(expected)) {
    const got = field === 'fee' ? order.fee.cost : order[field]
    check(same(got, want), `${what} ${row.venueOrderId} (${row.type} ${row.side} ${row.status}): ${field} is ${got}, want ${want} by the ledger`)
  }
}

function signed(t, position) {
  const base = t.base(position.contracts)
  return position.side === 'short' ? Precise.stringNeg(base) : base
}

function total(row, field) {
  return (row.fills ?? []).reduce((sum, fill) => Precise.stringAdd(sum, fill[field]), '0')
}

// average is the ledger's average price with as many places as CCXT's has.
function average(row, filled, got) {
  const cost = row.fills.reduce((sum, fill) => Precise.stringAdd(sum, Precise.stringMul(fill.price, fill.qty)), '0')
  const exact = Precise.stringDiv(cost, filled, 18)
  const places = (String(got).split('.')[1] ?? '').length
  const off = Precise.stringAbs(Precise.stringSub(exact, String(got)))
  return Precise.stringLe(off, `0.${'0'.repeat(places)}5`) ? got : exact
}

function fillsOf(t, rows) {
  return rows.filter(isOrder).flatMap((row) => (row.fills ?? []).map((fill) => [
    row.venueOrderId, row.side, fill.maker ? 'maker' : 'taker', Date.parse(fill.time),
    plain(fill.price), plain(fill.qty), plain(fill.fee),
  ].join(' ')))
}

// tradeText describes a fill. ids are the venue's ids of orders, where CCXT has others.
function tradeText(trade, ids) {
  return [
    ids?.get(trade.order) ?? trade.order, trade.side, trade.takerOrMaker, trade.timestamp,
    plain(trade.price), plain(trade.amount), plain(trade.fee.cost),
  ].join(' ')
}

function plain(number) {
  return Precise.stringAdd(String(number), '0')
}
