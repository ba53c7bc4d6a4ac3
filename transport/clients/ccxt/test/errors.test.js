import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import ccxt from 'ccxt'
import { venuegate } from 'venuegate-ccxt'

test('every code of the document has a class', async () => {
  const document = await readFile(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8')
  const [, list] = /\n    ErrorCode:\n[^]*?\n      enum:\n((?: {8}- \w+\n)+)/.exec(document)
  const codes = list.match(/\w+/g)
  assert.ok(codes.length >= 16, `${codes.length} codes, want at least 16`)
  const { exact } = new venuegate().exceptions
  assert.deepEqual(Object.keys(exact).sort(), codes.sort())
})

// thrown returns what the class throws for a response.
function thrown(code, { status = 422, details = {}, url = '/v1/orders', method = 'POST', headers = {} } = {}) {
  const error = { code, message: 'a message', details, requestId: 'req_1', docUrl: `/docs/errors#${code}` }
  try {
    new venuegate().handleErrors(status, '', url, method, headers, '', { error })
  } catch (thrown) {
    return thrown
  }
  return undefined
}

test('the class of an error depends on its details and its request', () => {
  const cases = [
    ['invalid_request', {}, ccxt.InvalidOrder],
    ['invalid_request', { url: '/v1/candles', method: 'GET' }, ccxt.BadRequest],
    ['not_found', { details: { exchange: 'okx' } }, ccxt.AccountNotEnabled],
    ['not_found', {}, ccxt.OrderNotFound],
    ['symbol_not_tradable', { details: { status: 'halted' } }, ccxt.MarketClosed],
    ['symbol_not_tradable', {}, ccxt.BadSymbol],
    ['order_rejected', { details: { reason: 'would_trigger' } }, ccxt.OrderImmediatelyFillable],
    ['of_a_later_version', {}, ccxt.ExchangeError],
    ['of_a_later_version', { status: 503 }, ccxt.ExchangeNotAvailable],
  ]
  for (const [code, given, want] of cases) {
    const error = thrown(code, given)
    assert.equal(error.constructor.name, want.name, `${code} ${JSON.stringify(given)}`)
  }
})

test('an error has the fields of the response', () => {
  const details = { fields: [{ field: 'price', rule: 'not_a_multiple_of_tick', given: '1.05', allowed: '1.0 or 1.1' }] }
  const error = thrown('rate_limited', { status: 429, details, headers: { 'Retry-After': '7' } })
  assert.deepEqual([error.code, error.status, error.requestId, error.retryAfterSec, error.details], ['rate_limited', 429, 'req_1', 7, details])
  assert.equal(error.docUrl, '/docs/errors#rate_limited')
  assert.match(error.message, /^venuegate rate_limited: a message; price 1\.05: not_a_multiple_of_tick, allowed: 1\.0 or 1\.1 \(req_1\)$/)
})

test('without a venue, or with one that does not exist, nothing is sent', async () => {
  for (const exchange of [undefined, 'kraken']) {
    const other = new venuegate({ apiKey: 'vgk_x', options: { exchange } })
    await assert.rejects(other.fetchBalance(), (error) => error instanceof ccxt.ArgumentsRequired)
  }
})
