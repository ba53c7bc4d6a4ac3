package okxsim

import (
	"cmp"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// orderDetail is what the venue remembers of an order and the exchange does not
// need. The order of a triggered stop shares it with its stop.
type orderDetail struct {
	ordType, tag string
	// tdMode is the order's margin mode; empty is cross.
	tdMode string
	// algo is the stop that the order came from, nil for others; source is its
	// kind in the venue's numbers.
	algo   *algo
	leg    legKind
	source string

	mu        sync.Mutex
	attached  []attachment
	execution execution
	amendment amendment
	inFlight  inFlight
	// ended is the venue's own reason of the end, empty where the exchange's tells.
	ended string
}

// amendment is what the pushes say about the newest change of an order.
type amendment struct{ source, reqID, result string }

// execution sums up what was executed of an order.
type execution struct {
	fee, pnl decimal.Decimal
	last     simcore.Fill
	leverage int
}

func detailOf(o *simcore.Order) *orderDetail {
	if d, ok := o.Detail.(*orderDetail); ok {
		return d
	}
	return &orderDetail{}
}

func (d *orderDetail) marginMode() string { return cmp.Or(d.tdMode, marginCross) }

// endAs notes why the venue is about to end the order.
func (d *orderDetail) endAs(source string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = source
}

// endOf is why the venue ended the order, empty where the exchange did.
func (d *orderDetail) endOf() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended
}

func (d *orderDetail) executed() execution {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.execution
}

// noteExecution adds a fill to what is remembered of its order.
func noteExecution(event *simcore.OrderEvent) {
	d := detailOf(&event.Order)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.execution.leverage = event.Position.Leverage
	if f := event.Fill; f != nil {
		d.execution.fee = d.execution.fee.Sub(f.Fee)
		d.execution.pnl = d.execution.pnl.Add(f.RealizedPnL)
		d.execution.last = *f
	}
}

// announceAmendment keeps the id of an amendment for the push about it. The
// answer takes it back.
func (d *orderDetail) announceAmendment(reqID, result string) (withdraw func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.amendment
	d.amendment = amendment{source: "1", reqID: reqID, result: result}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.amendment = before
	}
}

// wasCancelledFor says whether the order was cancelled because it could not be
// amended.
func (d *orderDetail) wasCancelledFor(reqID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.amendment.result == "1" && d.amendment.reqID == reqID
}

// amended is what the push about an event says of an amendment: what the venue
// cut at the start is told with the order, what a client changed with the
// change alone.
func (d *orderDetail) amended(event *simcore.OrderEvent) amendment {
	d.mu.Lock()
	defer d.mu.Unlock()
	isCancelled := d.amendment.result == "1" && !event.Order.Status.Open()
	if isCancelled || event.Kind == simcore.OrderAmended || event.Order.Reason == simcore.EndAmendedBelowFilled || d.amendment.result == "" {
		return d.amendment
	}
	return amendment{}
}

// stops are what is attached to the order.
func (d *orderDetail) stops() []attachment {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.attached
}

func (d *orderDetail) setStops(attached []attachment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached = attached
}
