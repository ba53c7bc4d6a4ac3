package okxsim

import (
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// orderDetail is what the venue remembers of an order and the exchange does not
// need. The order of a triggered stop shares it with its stop.
type orderDetail struct {
	ordType, tag string
	attached     []attachment
	// algo is the stop that the order came from, nil for others; source is its
	// kind in the venue's numbers.
	algo   *algo
	leg    legKind
	source string

	mu          sync.Mutex
	execution   execution
	amendSource string
	reqID       string
	amended     bool
}

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

// announceAmendment keeps the id of an amendment for the push about it.
func (d *orderDetail) announceAmendment(reqID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reqID, d.amendSource, d.amended = reqID, "1", true
}

// amendment is what the pushes say about the newest amendment.
func (d *orderDetail) amendment() (source, reqID, result string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.amended {
		result = "0"
	}
	return d.amendSource, d.reqID, result
}
