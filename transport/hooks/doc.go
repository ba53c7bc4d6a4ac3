// Package hooks is the edge for inbound signals: signed webhooks, and the channel
// of charting platforms, which cannot sign.
//
// # Checks
//
// In this order, and each refusal is an answer of its own:
//
//	                    webhook                          chart
//	channel exists      404 not_found                    404 not_found
//	size of the body    400 invalid_request, limit       400 invalid_request, limit
//	source address      401 unauthorized                 401 unauthorized
//	who sent it         401 bad_signature, reason        401 unauthorized
//	rate                429 rate_limited                 429 rate_limited
//	body                400 invalid_request, fields      400 invalid_request, fields
//
// A request whose sender is not proven spends nothing of the channel's rate; it
// counts against its source address, and past that limit it is 429. Signatures
// are over the raw bytes; a chart's address and token are compared by their
// hashes, in constant time.
//
// # Repeats
//
// A signed signal without requestId gets one made of channel, timestamp and
// signature, so that a request that is sent again is the same signal. A chart's
// signal without one goes on without: its channel knows its repeats by their
// body.
//
// # Answers
//
// 202 for a signal that was accepted, 200 for one that had been before. Both
// come after the signal is durable; what is not known soon before
// api.HookAnswerWait is told as "pending". A signal that is not durable by then
// is answered 500 with details.orderState "unknown": it may be taken still, and
// the same request can be repeated without harm.
package hooks
