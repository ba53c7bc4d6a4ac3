// Package hooks is the edge for inbound signals: signed webhooks, and the channels
// of charting platforms, which cannot sign.
//
// # Checks
//
// The checks are made in this order. Each has its own error:
//
//	                    webhook                          chart
//	channel exists      404 not_found                    404 not_found
//	size of the body    400 invalid_request, limit       400 invalid_request, limit
//	source address      401 unauthorized                 401 unauthorized
//	sender              401 bad_signature, reason        401 unauthorized
//	rate                429 rate_limited                 429 rate_limited
//	body                400 invalid_request, fields      400 invalid_request, fields
//
// While the channels are being loaded after a start, an unknown channel is 503
// maintenance.
//
// A request whose sender is not authenticated does not count against the rate limit
// of the channel. It counts against its source address, and past that limit it gets
// 429. Signatures are over the raw bytes of the body. The address and the token of a
// chart are compared by their hashes, in constant time.
//
// # Repeats
//
// A signed signal without requestId gets one that is made of channel, timestamp and
// signature, so that a request that is sent again is the same signal. A chart signal
// without requestId has none: its channel detects repeats by the body.
//
// # Responses
//
// 202 for an accepted signal, 200 for one that was accepted before. Both are sent
// after the signal is durable. A result that is not known shortly before
// api.HookAnswerWait is reported as "pending". If the signal is not durable by then
// the response is 500 with details.orderState "unknown": it may still be accepted,
// and the same request can be repeated safely.
package hooks
