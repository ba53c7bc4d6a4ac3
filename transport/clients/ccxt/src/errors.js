// The class of CCXT for each error of the service.
import {
  AccountNotEnabled, AuthenticationError, BadRequest, BadSymbol, DuplicateOrderId, ExchangeError, ExchangeNotAvailable, InsufficientFunds,
  InvalidOrder, InvalidProxySettings, MarketClosed, NotSupported, OnMaintenance, OperationRejected, OrderImmediatelyFillable, OrderNotFound,
  PermissionDenied, RateLimitExceeded,
} from 'ccxt'

// exceptions has every code of the service.
export const exceptions = {
  invalid_request: BadRequest,
  unauthorized: AuthenticationError,
  bad_signature: AuthenticationError,
  scope_required: PermissionDenied,
  not_found: OrderNotFound,
  duplicate_request: DuplicateOrderId,
  insufficient_balance: InsufficientFunds,
  symbol_not_tradable: BadSymbol,
  leverage_change_rejected: OperationRejected,
  rate_limited: RateLimitExceeded,
  exchange_unavailable: ExchangeNotAvailable,
  maintenance: OnMaintenance,
  order_rejected: InvalidOrder,
  trading_locked: OperationRejected,
  risk_rejected: InvalidOrder,
  internal_error: ExchangeNotAvailable,
}

// classOf returns the class of an error. Some codes have a more specific one by their
// details, or by the request: isOrder is set for those that place or change an order.
function classOf({ code, details = {} }, status, isOrder) {
  if (code === 'invalid_request' && isOrder) return InvalidOrder
  if (code === 'not_found' && details.exchange) return AccountNotEnabled
  if (code === 'symbol_not_tradable' && details.status) return MarketClosed
  if (code === 'order_rejected' && details.reason === 'would_trigger') return OrderImmediatelyFillable
  return exceptions[code] ?? (status >= 500 ? ExchangeNotAvailable : ExchangeError)
}

// errorOf returns the error of CCXT for one of the service. Its fields are those of the
// response: code, status, details, requestId, docUrl and, where there is one, retryAfterSec.
export function errorOf(id, error, { status, retryAfter, isOrder } = {}) {
  const { code, message, details = {}, requestId, docUrl } = error
  const fields = (details.fields ?? []).map(({ field, rule, given, allowed }) =>
    `; ${field} ${given ?? ''}: ${rule}${allowed ? `, allowed: ${allowed}` : ''}`)
  const text = `${id} ${code}: ${message}${fields.join('')}${requestId ? ` (${requestId})` : ''}`
  const thrown = new (classOf(error, status, isOrder))(text)
  return Object.assign(thrown, { code, status, details, requestId, docUrl, retryAfterSec: retryAfter && Number(retryAfter) })
}

// unsent are failures before a request was sent.
const unsent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|Connect Timeout/i

// leavesUnknown reports whether a request may have been carried out although it failed: no
// answer of the service was received, or one that does not say.
export function leavesUnknown(error) {
  if (error instanceof NotSupported || error instanceof InvalidProxySettings) return false
  return error.status === undefined ? !unsent.test(error.message) : error.status === 500
}

// decides reports whether an answer to a repeat is also the outcome of the attempts before:
// the service compares the requestId before it answers so.
export function decides(error) {
  return [400, 409, 422, 502].includes(error.status)
}
