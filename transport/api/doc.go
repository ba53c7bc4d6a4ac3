// Package api is the JSON that clients of the service send and receive: the
// hand-written OpenAPI and AsyncAPI documents, and the Go functions that decode and
// encode exactly what they describe. It does not depend on any server, so REST, hooks,
// stream and console share one format.
//
// # Requests
//
// A table names the fields of each request body once: name, whether it is required,
// and the function that reads its value into the command.
//
//	var closePositionFields = fieldsOf([]field[venues.ClosePosition]{
//		{"exchange", required, func(b *body, c *venues.ClosePosition) { c.Exchange = b.exchange() }},
//		{"qty", optional, func(b *body, c *venues.ClosePosition) { c.Qty = b.positive() }},
//		...
//
// Decoding is strict. It rejects what lenient parsers accept silently: a name given
// twice or in another case, data after the object, invalid UTF-8, nesting beyond
// JSONDepthMax, a number where a decimal string is required. Unknown fields are
// ignored, so that clients may be newer than the service; null counts as absent.
// Query reads the parameters of a query string under the same rules.
//
// All errors of a request are reported in one response: ValidationErrors collects
// them, and its Err is a *venues.Error invalid_request with details.fields.
//
// # Responses
//
// Records are appended to a byte slice (AppendOrder, AppendFill and so on) without
// reflection. A field that does not apply is null: it is never left out, and never
// an invented zero. Decimals are strings in plain notation, times have
// venues.TimeFormat.
//
// # Stream
//
// DecodeStreamRequest decodes the messages of clients, StreamEncoder encodes the
// messages of topics, and the Append...Reply functions the replies. The wire calls a
// topic a channel. StreamCode lists the codes of error frames and of closes.
//
// # Paging
//
// Cursors seals the position where a page ended into an opaque text. Only this
// installation can produce it, and it is valid for the same filters only.
//
// # Errors and limits
//
// Status maps an error code to its HTTP status, and AppendError encodes the error
// body. limits.go holds the limits that the transports enforce.
package api
