// Package alerts is the actor that keeps one customer's price alerts. The books
// watch the prices (actors/book); what it adds is the record: an alert that
// fires is durable together with its event.
//
//	armed ── condition comes to hold ──▶ fired        (once)
//	armed ── condition comes to hold ──▶ armed        (repeating, at most every repeatGapMin)
//	armed ◀── changed by hand ──▶ paused
//
// A condition is watched from the moment at which the alert is armed, by whoever
// is running then: a crossing that happened while the service was down is not
// seen, a price that is above or below shows with the first one that comes. A
// repeating alert that has fired waits, across starts too, until its condition
// has ceased to hold.
package alerts
