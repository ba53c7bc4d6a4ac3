// The control API of a simulated venue, as in package simnet.

export class Control {
  constructor(url) {
    this.url = url
  }

  async call(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.error.message}`)
    return answer
  }

  createAccount(account) {
    return this.call('POST', '/accounts', account)
  }

  // market changes a market; symbol is canonical, as in BTCUSDT.
  market(change) {
    return this.call('POST', '/market', change)
  }

  // trade makes the simulator take qty of base coin from the book.
  trade(symbol, side, qty) {
    return this.call('POST', '/market/trade', { symbol, side, qty })
  }

  // during runs work while a fault is injected.
  async during(fault, work) {
    await this.call('POST', '/faults', fault)
    try {
      return await work()
    } finally {
      await this.call('DELETE', '/faults')
    }
  }

  // ahead runs work while the venue's clock is offsetMs ahead.
  async ahead(offsetMs, work) {
    await this.call('POST', '/clock', { offsetMs })
    try {
      return await work()
    } finally {
      await this.call('POST', '/clock', { offsetMs: 0 })
    }
  }

  async ledger(account) {
    const { orders } = await this.call('GET', '/ledger')
    return orders.filter((row) => row.account === account)
  }
}
