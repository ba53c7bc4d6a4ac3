// Package notify delivers events to people: to a chat of a messaging bot (Telegram),
// to a Google spreadsheet (Sheet) and to an .xlsx file of this installation
// (Workbook).
//
// Each is a sender of the delivery queues: Send makes one attempt for one endpoint
// and returns the result. It neither retries nor waits; the queue does, by its own
// schedule, so that nothing here delays trading or another endpoint. Check returns
// what is missing for an endpoint to work, as an error for the customer. It is called
// before an endpoint is made and may be called at any time.
//
// # Messages
//
// An event becomes a short plain text (see message.go). Text of customers and venues
// is data: no parse mode is set, so that markup has no effect; control characters,
// bidirectional overrides and invisible characters are removed; links have no
// preview. A text is at most messageUnitsMax long. Telegram has no idempotency key: an
// event whose response was lost may be sent twice.
//
// A group that became a supergroup has a new id, which Telegram returns; the message
// is sent there in the same attempt. A rate limit (retry_after) is reported as
// Attempt.Throttled: the queue waits, and no message of a burst is lost. A token that
// is no longer valid, and a chat that has blocked the bot, end the endpoint
// (Attempt.Gone).
//
// # Rows
//
// Spreadsheet and file receive position.closed only, one row for each closed trade,
// with these headings:
//
//	Time, Instrument, Direction, Quantity, Entry price, Exit price, Fee, P&L, Comment, Event ID
//
// Time is when the service found the position closed, RFC 3339 in UTC; an instrument
// is written as exchange:symbol; an unknown value is an empty cell. Numbers are numeric
// cells with the exact decimal text of the event, or texts if they have more than 15
// digits, which programs would round. The other cells are texts: one that a program
// could evaluate as a formula begins with an apostrophe.
//
// The last column detects repeats. A row is added at least once, and an event whose id
// is in the last column is not added again: in a spreadsheet unless that column is
// edited, in files always. Two concurrent attempts for one event, which a queue
// never makes, could both add it to a spreadsheet. A used-up quota of Google is
// reported as Attempt.Throttled.
//
// # Secrets
//
// The secret of a telegram endpoint is the token of the bot, that of a sheet endpoint
// the JSON key of a service account, with whose address the spreadsheet is shared.
// Secrets are opened for each attempt and not kept. The token of a bot is part of every
// URL of its API: it is removed from everything that leaves this package. Of the key of
// a service account only the address and the private key are used; the URL of the
// token server is a setting of the installation.
//
// # Connections
//
// All requests use the client of client.go: no proxy, no redirects, a limit on the
// duration and on the size of a response.
package notify
