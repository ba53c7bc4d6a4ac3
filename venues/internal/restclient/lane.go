package restclient

// Lane is the priority of a request when a budget runs short.
type Lane uint8

// Lanes, most urgent first. LaneResolve is for what finds out whether an order
// exists: before every other reading, and not so much that nothing can be traded
// any more. Requests of the lanes below it move up there with venues.Resolving.
const (
	LaneCancel Lane = iota
	LaneProtect
	LaneOrder
	LaneResolve
	LaneReconcile
	LaneHistory
	laneCount
)

// OrderLane lets an order that reduces risk go before those that add to it.
func OrderLane(reduces bool) Lane {
	if reduces {
		return LaneProtect
	}
	return LaneOrder
}

// laneShares is the part of a budget, in percent, up to which a lane may fill
// it. What remains is the reserve of the lanes above.
var laneShares = [laneCount]int{100, 95, 85, 80, 65, 40}

// share is how many units of limit the lane may use; a lane always has room for
// at least one unit.
func (l Lane) share(limit int) int {
	return max(1, limit*laneShares[l]/100)
}
