package okxsim

// amendsInFlightMax is how many amendments of one order may be pending.
const amendsInFlightMax = 3

// inFlight are the pending changes of an order: acknowledged and not yet applied. The
// lock of the order's detail guards it.
type inFlight struct {
	cancelling bool
	amending   int
}

var (
	errCancelling   = rejectWith("51410", "Cancellation failed as the order is already in canceling status or pending settlement.")
	errAmendsQueued = rejectWith("51513", "Number of modification requests that are currently in progress for an order cannot exceed %d times.", amendsInFlightMax)
)

// beginCancel records a pending cancellation. It returns false where one is pending
// already.
func (d *orderDetail) beginCancel() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inFlight.cancelling {
		return false
	}
	d.inFlight.cancelling = true
	return true
}

func (d *orderDetail) endCancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight.cancelling = false
}

// beginAmend records a pending amendment. It returns false where the maximum is
// pending already.
func (d *orderDetail) beginAmend() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inFlight.amending >= amendsInFlightMax {
		return false
	}
	d.inFlight.amending++
	return true
}

func (d *orderDetail) endAmend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight.amending--
}
