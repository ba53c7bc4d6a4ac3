package okxsim

// amendsInFlightMax is how many amendments of one order may be under way.
const amendsInFlightMax = 3

// inFlight are the changes of an order that were acknowledged and are not done. The
// detail of the order guards it.
type inFlight struct {
	cancelling bool
	amending   int
}

var (
	errCancelling   = refuse("51410", "Cancellation failed as the order is already in canceling status or pending settlement.")
	errAmendsQueued = refuse("51513", "Number of modification requests that are currently in progress for an order cannot exceed %d times.", amendsInFlightMax)
)

// beginCancel notes that a cancellation is under way; false where one is already.
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

// beginAmend notes that an amendment is under way; false where there are as many as
// there may be.
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
