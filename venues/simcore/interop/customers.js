// The customers of the service for the traders of CCXT's class. To connect an account takes
// so many requests of the venue that a minute has enough for a few; therefore an account that
// a case leaves flat is used by the next cases, each with a key of its own.
import { venuegate } from '../../../transport/clients/ccxt/src/index.js'
import { eventually } from './expect.js'
import { canonical, symbol } from './trader.js'

const venueMinuteMs = 90_000
const connectEveryMs = 2000
const readyEveryMs = 1000

export class Customers {
  constructor({ exchange, service }) {
    this.exchange = exchange
    this.service = service
    // known are the customers by the id of their account at the venue.
    this.known = new Map()
  }

  // connect returns a client for an account, and connects that at first. A client with other
  // credentials has a wrong key. Without an id it is one for market data.
  async connect({ id, ...credentials }, markets) {
    const isOwner = !this.known.has(id) || this.known.get(id).credentials === credentials.apiKey + credentials.apiSecret
    const apiKey = isOwner ? await this.createKey(id, credentials) : 'vgk_wrong'
    const client = this.client(apiKey, markets)
    if (id && isOwner) await eventually('the account and the market to be ready', () => this.isReady(client), venueMinuteMs, readyEveryMs)
    return client
  }

  client(apiKey, markets) {
    const options = { exchange: this.exchange, baseUrl: this.service.baseUrl }
    const client = new venuegate({ apiKey, number: String, enableRateLimit: false, options })
    if (markets) client.setMarkets(markets)
    return client
  }

  async createKey(id, credentials) {
    if (!this.known.has(id)) await this.create(id, credentials)
    const { customer } = this.known.get(id)
    return (await this.admin('POST', '/keys', { customer, name: 'interop', scopes: ['read', 'trade', 'account'] })).apiKey
  }

  async create(id, { apiKey, apiSecret, passphrase }) {
    const { id: customer } = await this.admin('POST', '/customers', { name: id ?? 'market data' })
    this.known.set(id, { customer, credentials: apiKey + apiSecret })
    if (!id) return
    const account = { customer, exchange: this.exchange, apiKey, apiSecret, passphrase }
    const connecting = () => this.admin('POST', '/accounts', account).catch((error) => {
      if (!error.message.includes('rate_limited')) throw error
    })
    this.known.get(id).accountId = (await eventually('the venue to have requests left', connecting, venueMinuteMs, connectEveryMs)).id
  }

  // isReady reports whether the account trades and the service has received the price at the
  // start of a case.
  async isReady(client) {
    const request = { symbol: canonical, side: 'buy', type: 'market', qty: '0.02', stopLoss: '64000', takeProfit: '66000' }
    try {
      const { ok } = await client.privatePostV1OrdersCheck({ exchange: this.exchange, ...request })
      return ok && await client.fetchTicker(symbol)
    } catch {
      return false
    }
  }

  // release makes an account flat for the next case, or disconnects it, which ends the
  // requests that the service makes to keep it up to date.
  async release(t, isFresh) {
    if (!isFresh && await this.flatten(t).catch(() => false)) this.spare = t.account
    else await this.admin('DELETE', `/accounts/${this.known.get(t.account.id).accountId}`)
  }

  // flatten uses one key for all cases, because a customer has at most 100.
  async flatten({ account, exchange }) {
    const known = this.known.get(account.id)
    known.apiKey ??= await this.createKey(account.id)
    const client = this.client(known.apiKey, exchange.markets)
    await client.cancelAllOrders(symbol)
    if (await client.fetchPosition(symbol)) await client.closePosition(symbol)
    return true
  }

  async admin(method, path, body) {
    const headers = { Authorization: `Bearer ${this.service.adminToken}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${this.service.adminUrl}/admin/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
}
