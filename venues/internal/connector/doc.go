// Package connector holds the parts of a connector that do not depend on its venue: the
// common settings, the call loop for requests, the options of connections, the list of
// instruments, the account's mode, the connection for orders, and what venues compute alike
// for an order, such as its margin.
//
// A connector embeds a [Core], which it initializes with the few functions of its
// venue's protocol that the call loop needs:
//
//	c := &Connector{options: o}
//	c.Init(&c.options.Settings, limiter, connector.Protocol{ServerTime: c.serverTime, ...})
//
// Format, signature and answers of a request are defined by the venue's package.
//
// # Paths through a connector
//
// The connectors have the same files for the same tasks.
//
// A request: a method of Account (rest_orders.go) converts the order to the venue's command
// and makes a request; [Core.Retry] and [Core.Send] wait for the rate limits, build and sign
// it (rest.go) and send it on the connection for orders (entry.go) or by REST; classify
// (errors.go) returns the data of the answer or its error by the table of error_table.go.
//
// A private event: a session.Connection passes each message to the private stream
// (stream_private.go), which decodes it (stream_events.go) with the records of REST
// (rest_models.go) and calls the PrivateSink.
//
// A book message: the feed passes it to the decoder of its topic (stream_deliver.go). The
// scanner of book_scan.go decodes the venue's usual form, book_decode.go any other; the
// BookUpdate goes to the FeedSink.
//
// # Extending a connector
//
// A new error code belongs in error_table.go, a new reason for the end of an order in
// reject_reasons.go, an order type or status in parse.go and the command in rest_orders.go
// or rest_algo.go, an environment in options.go (Preset).
package connector
