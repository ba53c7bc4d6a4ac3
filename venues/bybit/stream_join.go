package bybit

import (
	"slices"
	"time"

	"venuegate/venues"
)

const (
	// joinWait is how long an execution waits for its order's message; both
	// usually come within a millisecond.
	joinWait = 500 * time.Millisecond
	// joinsMax bounds what waits on either side.
	joinsMax = 1024
)

// fillJoin brings together the two messages in which the venue tells that an
// order is filled: the execution, with price and fee, and the order, with its
// status. It is a pure machine.
type fillJoin struct {
	// executions wait for the order's message, by venue order id; oldest first.
	executions []joinable
	// orders ended with a fill that was told without its execution; oldest first.
	orders []joinable
}

type joinable struct {
	report venues.ExecutionReport
	at     time.Time
}

// execution takes an execution and returns what can be told now. One that leaves
// something of the order is told at once.
func (j *fillJoin) execution(report venues.ExecutionReport, completes bool, now time.Time) []venues.ExecutionReport {
	if n := find(j.orders, report.VenueOrderID); n >= 0 {
		ended := j.orders[n].report
		if completes {
			j.orders = slices.Delete(j.orders, n, n+1)
		}
		ended.Fill = report.Fill
		return []venues.ExecutionReport{ended}
	}
	if !completes || len(j.executions) == joinsMax {
		return []venues.ExecutionReport{report}
	}
	j.executions = append(j.executions, joinable{report, now})
	return nil
}

// order takes an order and returns it, with the execution that has waited for
// it. An order that ended with a fill waits on in case its execution is late.
func (j *fillJoin) order(report venues.ExecutionReport, now time.Time) []venues.ExecutionReport {
	if !report.FilledQty.IsPositive() || !report.Status.IsClosed() {
		return []venues.ExecutionReport{report}
	}
	if n := find(j.executions, report.VenueOrderID); n >= 0 {
		report.Fill = j.executions[n].report.Fill
		j.executions = slices.Delete(j.executions, n, n+1)
		return []venues.ExecutionReport{report}
	}
	if len(j.orders) < joinsMax && find(j.orders, report.VenueOrderID) < 0 {
		j.orders = append(j.orders, joinable{report, now})
	}
	return []venues.ExecutionReport{report}
}

// flush returns the executions that have waited long enough, all of them if now
// is zero, and forgets orders of that age.
func (j *fillJoin) flush(now time.Time) []venues.ExecutionReport {
	var due []venues.ExecutionReport
	overdue := func(one joinable) bool { return now.IsZero() || now.Sub(one.at) > joinWait }
	for len(j.executions) > 0 && overdue(j.executions[0]) {
		due = append(due, j.executions[0].report)
		j.executions = slices.Delete(j.executions, 0, 1)
	}
	j.orders = slices.DeleteFunc(j.orders, overdue)
	return due
}

func find(list []joinable, venueOrderID string) int {
	return slices.IndexFunc(list, func(one joinable) bool { return one.report.VenueOrderID == venueOrderID })
}
