// Requests: addresses, authentication, errors, and orders whose answers are lost.
import { ArgumentsRequired, BaseError, Exchange, NetworkError, RequestTimeout } from 'ccxt'
import { description } from './description.js'
import { decides, errorOf, leavesUnknown } from './errors.js'

const venues = ['binance', 'bybit', 'okx']
const repeatsMax = 5
const firstRepeatMs = 500
const orderPaths = /\/v1\/(orders|positions\/close)/

export class Rest extends Exchange {
  describe() {
    return this.deepExtend(super.describe(), description())
  }

  // venue returns the venue that the instance trades on.
  venue() {
    const { exchange } = this.options
    if (!venues.includes(exchange)) throw new ArgumentsRequired(`${this.id} requires options.exchange: one of ${venues.join(', ')}`)
    return exchange
  }

  sign(path, api = 'public', method = 'GET', params = {}, headers = undefined, body = undefined) {
    const query = this.omit(params, this.extractParams(path))
    const base = (this.options.baseUrl ?? this.urls.api[api]).replace(/\/+$/, '')
    let url = `${base}/${this.implodeParams(path, params)}`
    if (api === 'private') {
      this.checkRequiredCredentials()
      headers = { ...headers, Authorization: `Bearer ${this.apiKey}` }
    }
    if (method === 'POST' || method === 'PATCH') {
      body = this.json(query)
      headers = { ...headers, 'Content-Type': 'application/json' }
    } else if (Object.keys(query).length) {
      url += `?${this.urlencode(query)}`
    }
    return { url, method, body, headers }
  }

  handleErrors(status, _statusText, url, method, headers, _body, response) {
    // What is not an error of the service, such as the page of a proxy, is left to CCXT.
    if (status < 400 || !response?.error?.code) return undefined
    const isOrder = method !== 'GET' && orderPaths.test(url)
    throw errorOf(this.id, response.error, { status, retryAfter: headers['Retry-After'], isOrder })
  }

  // fetch reports a request that changes something and may have been carried out as
  // RequestTimeout, which is CCXT's class for an unknown outcome.
  async fetch(url, method = 'GET', headers = undefined, body = undefined) {
    try {
      return await super.fetch(url, method, headers, body)
    } catch (error) {
      if (method !== 'GET' && leavesUnknown(error)) throw this.outcomeUnknown(`${method} ${url}`, error)
      if (error instanceof BaseError) throw error
      throw new NetworkError(`${this.id} ${method} ${url}: ${error.message}`)
    }
  }

  outcomeUnknown(what, cause) {
    const error = new RequestTimeout(`${this.id} ${what} was sent, and its outcome is not known: ${cause.message}`)
    return Object.assign(error, { cause, outcomeUnknown: true })
  }

  // place makes a request that places an order, by the name of its implicit method, and
  // returns the order. While the outcome of an attempt is not known, the request is repeated
  // with its requestId, so that the order is placed once. If that does not decide it either,
  // the error is RequestTimeout with the requestId in clientOrderId.
  async place(name, request) {
    const endsAt = this.milliseconds() + this.options.settleMs
    for (let attempt = 0; ; attempt++) {
      try {
        return await this[name]({ ...request, maxRetriesOnFailure: 0 })
      } catch (error) {
        const isRepeat = attempt > 0
        if (isRepeat && error.code === 'duplicate_request' && error.details.sameBody) return error.details.order
        if (isRepeat ? decides(error) : !error.outcomeUnknown) throw error
        const waitMs = Math.max(1000 * (error.retryAfterSec ?? 0), firstRepeatMs * 2 ** attempt * (0.5 + Math.random() / 2))
        if (attempt === repeatsMax || this.milliseconds() + waitMs > endsAt) {
          const unknown = error.outcomeUnknown ? error : this.outcomeUnknown(`order ${request.requestId}`, error)
          throw Object.assign(unknown, { clientOrderId: request.requestId })
        }
        await this.sleep(waitMs)
      }
    }
  }

  // pages reads a list to its end, or until it has limit records that accept returns true for.
  // Of more than options.pagesMax pages it returns the newest records, unless all are required.
  async pages(name, request, limit, accept = () => true) {
    const records = []
    for (let cursor, page = 0; page < this.options.pagesMax; page++) {
      const { items, nextCursor } = await this[name]({ ...request, ...(cursor && { cursor }) })
      records.push(...items.filter(accept))
      if (!nextCursor || records.length >= limit) return records
      cursor = nextCursor
    }
    if (limit < Infinity) return records
    throw new ArgumentsRequired(`${this.id} has more than ${this.options.pagesMax} pages of these records: pass until, or a later since`)
  }
}
