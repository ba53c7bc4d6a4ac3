// Package customer is the actor that owns one customer: it takes the customer's
// fence, starts an account for each connected venue, and serves the customer's
// own stream topics (orders, positions, account) over all of them.
//
// A topic's first frame is a snapshot of what is open now, then each change is
// an update with the full record; seq rises by one a frame. Changes come from the
// accounts after they are durable. Frames are encoded once, whoever listens.
package customer
