// Package api is the public wire of the service: the hand-written OpenAPI
// document, and the Go functions that read and write exactly what it says. It
// knows no server, so every edge (REST, hooks, stream, console) speaks the same
// JSON.
//
// # Reading
//
// A request body is read member by member with a Body: a strict reader of one
// JSON object. It refuses what lenient parsers pass in silence: a name given
// twice or in another case, trailing data, invalid UTF-8, nesting past
// JSONDepthMax, a number where a decimal string belongs. Members that are not
// known are ignored, so that clients may be newer than the service; null is the
// same as absent. A query string is read with a Query under the same rules.
// Every fault of a request is reported in one answer:
//
//	body := api.OpenBody(data, "symbol", "qty")
//	for body.Next() {
//		switch body.Name() {
//		case "symbol":
//			symbol = body.Symbol()
//		case "qty":
//			qty = body.Decimal()
//		}
//	}
//	body.Require("symbol", "qty")
//	if err := body.Err(); err != nil {
//		return err // a *venues.Error invalid_request with details.fields
//	}
//
// # Writing
//
// Records are appended to a byte slice (AppendOrder, AppendFill and so on)
// without reflection. A member that does not apply is null, never left out and
// never a made-up zero; decimals are strings in plain notation; moments are in
// venues.TimeFormat.
//
// # Paging
//
// Cursors seals where a page ended into an opaque text that only this
// installation can have made and that is good for the same filters alone.
//
// # Errors
//
// Status maps a code to its HTTP status, in one table; AppendError writes the
// error body. The limits that the edges keep stand in limits.go.
package api
