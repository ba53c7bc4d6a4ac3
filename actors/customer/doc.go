// Package customer is the actor that owns one customer. It takes the customer's fence,
// starts the actors of the customer, and serves the customer's own stream topics.
//
// # Children
//
// When the customer is owned it starts, under itself:
//
//   - the fixed children of every customer (Deps.FixedChildren), such as the signal
//     queue and the alerts;
//   - an account for each connected venue;
//   - a follower for each Channel and Endpoint: an actor that is described by one
//     record and follows its changes (Deps.OpenFollower).
//
// A change of such a record is committed first, in the order of the calls. Then the
// child is notified, or it is stopped and a new one takes its place. Commands that
// arrive before the customer is owned are kept, up to earlyMax.
//
// # Topics
//
// The topics orders, positions and account cover all venues of the customer. The first
// frame of a subscription is a snapshot of what is open, once every account has been
// reconciled after its start or snapshotWaitMax is over; then each change is an update
// with the full record. seq rises by one with each frame. Changes come from the
// accounts (Updates) after they are durable. A frame is encoded once for all
// subscribers.
package customer
