// Package webhook delivers events to customers' URLs by signed POST.
//
// Sender.Send makes one attempt: it encodes the envelope, which has the same bytes in
// every attempt to deliver an event, signs it with the time of the attempt and returns
// the result. It neither retries nor waits; the delivery queue decides when to try
// again.
//
// # Limits on the receiver
//
// A customer's URL is treated as a hostile server. An attempt ends within
// Options.Timeout whatever the server does. Headers over responseHeaderBytesMax and
// bodies over responseBytesMax are cut, redirects are not followed, and compressed
// responses are not decompressed. Every endpoint has its own connections,
// ConnsPerEndpoint at most, so that an endpoint that hangs does not block another one,
// even on the same host.
//
// # Allowed addresses
//
// DialPolicy decides when a connection is opened, on the address that is dialed.
// Neither a name that resolves to an internal address, nor one that resolves to
// another address the second time, nor an unusual notation reaches an internal
// address (see policy.go). Denied, unless DialPolicy.Allow contains it, is every
// address that is not global unicast, every address that embeds another one (NAT64,
// 6to4, Teredo), the metadata services of clouds, and every port but
// DialPolicy.Ports. Proxies of the environment are not used: they would dial where
// the policy does not apply.
//
// # Secrets
//
// An endpoint signs with its own secret or with that of the signed hook HookID. From
// NextFrom on its next secret signs. During the overlap of a hook's rotation both
// secrets are valid; the previous one signs, which the receiver certainly has. Secrets
// are opened for each attempt and not kept.
package webhook
