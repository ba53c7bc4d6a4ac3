package restclient

// Priority is the priority of a request when a budget is nearly used up.
type Priority uint8

// Priorities, most urgent first. PriorityOutcome is for queries that find out whether an
// order exists: before all other reads, but with a reserve for trading above it.
// PriorityRead is for reads for which a caller of the service waits. Requests of lower
// priority are raised to them by venues.WithOutcomeQuery and venues.WithCaller.
// PriorityReconcile is lowered to PriorityHistory by venues.WithRoutineRead.
const (
	PriorityCancel Priority = iota
	PriorityProtect
	PriorityOrder
	PriorityOutcome
	PriorityRead
	PriorityReconcile
	PriorityHistory
	priorityCount
)

var priorityNames = [priorityCount]string{"cancel", "protect", "order", "outcome", "read", "reconcile", "history"}

// String returns the name of the priority.
func (p Priority) String() string { return priorityNames[p] }

// OrderPriority gives orders that reduce risk precedence over those that increase it.
func OrderPriority(reduces bool) Priority {
	if reduces {
		return PriorityProtect
	}
	return PriorityOrder
}

// priorityShares is the percentage of a budget that requests of a priority may use. The
// rest is reserved for higher priorities.
var priorityShares = [priorityCount]int{100, 95, 85, 80, 75, 65, 40}

// share returns how many units of limit the priority may use, at least one.
func (p Priority) share(limit int) int {
	return max(1, limit*priorityShares[p]/100)
}
