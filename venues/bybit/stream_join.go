package bybit

import (
	"slices"
	"time"

	"venuegate/venues"
)

const (
	// joinWait is how long an execution waits for its order's message; both usually come
	// within a millisecond.
	joinWait = 500 * time.Millisecond
	// joinsMax bounds the pending reports of either kind.
	joinsMax = 1024
)

// fillJoin joins the two messages about a fill: the execution, with price and fee, and
// the order, with its status. It is deterministic.
type fillJoin struct {
	// executions wait for the order's message; oldest first.
	executions []pendingReport
	// orders were closed by a fill that was reported without its execution; oldest first.
	orders []pendingReport
}

type pendingReport struct {
	report venues.ExecutionReport
	at     time.Time
}

// execution adds an execution and returns the reports to publish now. One that does not
// complete its order is published immediately.
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
	j.executions = append(j.executions, pendingReport{report, now})
	return nil
}

// order adds an order and returns it, with the execution that has waited for it. An order
// that was closed by a fill is kept in case its execution is late.
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
		j.orders = append(j.orders, pendingReport{report, now})
	}
	return []venues.ExecutionReport{report}
}

// flush returns the executions that have waited long enough, all of them if now is zero,
// and drops orders of that age.
func (j *fillJoin) flush(now time.Time) []venues.ExecutionReport {
	var due []venues.ExecutionReport
	overdue := func(one pendingReport) bool { return now.IsZero() || now.Sub(one.at) > joinWait }
	for len(j.executions) > 0 && overdue(j.executions[0]) {
		due = append(due, j.executions[0].report)
		j.executions = slices.Delete(j.executions, 0, 1)
	}
	j.orders = slices.DeleteFunc(j.orders, overdue)
	return due
}

func find(list []pendingReport, venueOrderID string) int {
	return slices.IndexFunc(list, func(one pendingReport) bool { return one.report.VenueOrderID == venueOrderID })
}
