// Package venuegate is the Go client of the service. It depends on no other package of the
// module, so that a program can use it alone.
//
//	client, err := venuegate.NewClient(venuegate.Options{URL: "http://127.0.0.1:8080", Key: key})
//	order, err := client.PlaceOrder(ctx, venuegate.OrderRequest{
//		Exchange: venuegate.ExchangeOkx, Symbol: "BTCUSDT", Side: venuegate.SideBuy,
//		Type: venuegate.OrderTypeMarket, Qty: decimal.RequireFromString("0.01"),
//	})
//
// # Requests
//
// A Client repeats a request that was answered 429 or 5xx, or not at all, as the document of the
// service advises: after 1 s, 2 s, 4 s and so on up to 30 s with jitter, not before the time in
// Retry-After, and at most five times. An order is given a requestId before it is first sent,
// so that a repetition never places a second one: the service answers it with the order that
// it has. Other errors are an *APIError. An *OutcomeError means that an order may exist; the
// request can be made again with the RequestID in it.
//
// # Stream
//
// A Stream keeps a connection with its topics and delivers their messages in order. It connects
// again after an interruption, with the same delays, and subscribes to the same topics. What
// can be missing is always visible:
//
//   - TypeDisconnected: what is held of any topic is not current until its next snapshot, and
//     trades may be missing.
//   - TypeGap: the service left out trades.
//   - TypeStale: the order book is not current until its next snapshot.
//
// A message that does not follow the one before it ends the connection, and so begins again with
// a snapshot. Messages wait in a queue of fixed size for Next. While it is full nothing is
// read: the service then conflates market data, and closes a connection with private topics,
// which is reported with code 4009.
//
// A Book is an order book that follows its messages.
//
// # Types
//
// types.gen.go is generated of the document, with decimals instead of texts. The methods are not:
// a client that is generated as a whole has ten times as many lines as this package, leaves
// the error of every status to each caller and knows no retries.
package venuegate

//go:generate go tool -modfile=../../api/generated/golang/go.mod oapi-codegen -config oapi-codegen.yaml ../../api/openapi.yaml
