// Package notify carries events to where people read them: a chat of a messaging
// bot (Telegram), a Google spreadsheet (Sheet) and an .xlsx file of this
// installation (Workbook).
//
// Each is a sender of the delivery queues: Send makes one attempt for one
// endpoint and says what came of it. It neither repeats nor waits; the queue that
// calls it does, by its own schedule, so that nothing here can hold up trading or
// another endpoint. Check says, before an endpoint is made and whenever somebody
// asks, what is missing for it to work, in words for the customer.
//
// # Messages
//
// An event becomes a short plain text (see message.go). What customers or venues
// wrote into it is data: no parse mode is set, so that no markup works; control
// characters, bidirectional overrides and invisible characters are taken out;
// links get no preview. A text is at most messageUnitsMax long. Telegram has
// nothing by which to recognise a repeat, so that an event whose answer was lost
// can be read twice.
//
// A group that became a supergroup has a new id, which Telegram tells; the
// message goes there within the same attempt. A limit that is reached
// (retry_after) is told as Attempt.Throttled: the queue waits, and no message of
// a burst is lost to it. A token that Telegram does not know any more, and a chat
// that shut the bot out, end the endpoint (Attempt.Gone).
//
// # Rows
//
// Spreadsheet and file take position.closed alone, one row for each closed trade,
// under these headings:
//
//	Time, Instrument, Direction, Quantity, Entry price, Exit price, Fee, P&L, Comment, Event ID
//
// Time is when the position was found closed, RFC 3339 in UTC; an instrument is
// written exchange:symbol; what is not known is an empty cell. Numbers are cells
// of numbers that hold the exact decimal text of the event; what a program makes
// of more than 15 digits is its own affair. Other cells are texts: one that a
// spreadsheet could take for a formula begins with an apostrophe.
//
// The last column is how a repeat is recognised. A row is added at least once,
// and an event whose id stands in the last column is not added again: in the
// spreadsheet as long as nobody edits that column, in files always. Two attempts
// for one event at the same time, which a queue never makes, could both add it
// to a spreadsheet. A quota of Google's that is used up is told as
// Attempt.Throttled.
//
// # Secrets
//
// The secret of a Telegram endpoint is the bot's token, of a sheet endpoint the
// JSON key of a service account, with whose address the spreadsheet is shared.
// They are opened for each attempt and not kept. A bot's token is part of every
// address that is asked: it is taken out of all that leaves this package. Of a
// service account's key only the account and its private key are used; where
// tokens are fetched is the installation's to say, not the key's.
//
// # Connections
//
// All requests go through one policy (see client.go): no proxy, no redirects,
// a bound on the time and on the bytes of an answer.
package notify
