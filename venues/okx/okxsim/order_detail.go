package okxsim

import (
	"cmp"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// orderDetail is what the venue stores about an order and the exchange does not need.
// The order of a triggered stop shares it with the stop.
type orderDetail struct {
	ordType, tag string
	// tdMode is the order's margin mode; empty is cross.
	tdMode string
	// algo is the stop that placed the order, nil for others; source is the venue's
	// number of its type.
	algo   *algo
	leg    legKind
	source string

	mu        sync.Mutex
	attached  []attachment
	execution execution
	amendment amendment
	inFlight  inFlight
	// ended is the venue's own cancel source, empty where the exchange has the reason.
	ended string
}

// amendment is the latest amendment of an order, as in pushes.
type amendment struct{ source, reqID, result string }

// execution is the sum of an order's fills.
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

// endAs records why the venue is about to end the order.
func (d *orderDetail) endAs(source string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = source
}

// endOf returns why the venue ended the order, empty where the exchange did.
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

// recordExecution adds a fill to the execution of its order.
func recordExecution(event *simcore.OrderEvent) {
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

// setAmendment sets the id of an amendment for its push. The returned function
// restores the one before.
func (d *orderDetail) setAmendment(reqID, result string) (withdraw func()) {
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

// wasCancelledFor reports whether the order was cancelled because it could not be
// amended.
func (d *orderDetail) wasCancelledFor(reqID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.amendment.result == "1" && d.amendment.reqID == reqID
}

// amended returns the amendment in the push of an event: a reduction by the venue at
// the placement in all pushes, an amendment of a client only in its own.
func (d *orderDetail) amended(event *simcore.OrderEvent) amendment {
	d.mu.Lock()
	defer d.mu.Unlock()
	isCancelled := d.amendment.result == "1" && !event.Order.Status.Open()
	if isCancelled || event.Kind == simcore.OrderAmended || event.Order.Reason == simcore.EndAmendedBelowFilled || d.amendment.result == "" {
		return d.amendment
	}
	return amendment{}
}

// stops returns the attachments of the order.
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
