package okxsim

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// storedAlgo is an algo order in a state file.
type storedAlgo struct {
	ID          int64                `json:"id"`
	Arg         algoArg              `json:"arg"`
	Account     string               `json:"account"`
	PosSide     simcore.PositionSide `json:"posSide"`
	Qty         decimal.Decimal      `json:"qty"`
	Legs        map[int64]legKind    `json:"legs"`
	Open        int                  `json:"open"`
	State       string               `json:"state"`
	Actual      legKind              `json:"actual,omitempty"`
	Fired       bool                 `json:"fired,omitempty"`
	OrderID     int64                `json:"orderId,omitempty"`
	FailCode    string               `json:"failCode,omitempty"`
	AmendResult string               `json:"amendResult,omitempty"`
	ReqID       string               `json:"reqId,omitempty"`
	CreatedAt   time.Time            `json:"createdAt"`
	UpdatedAt   time.Time            `json:"updatedAt"`
	TriggeredAt time.Time            `json:"triggeredAt"`
}

// touch marks an algo order that changed. The lock is held.
func (d *algoBook) touch(a *algo) {
	if d.keepsState {
		d.unsaved[a] = true
	}
}

func (d *algoBook) save(all bool, put func(kind string, value any)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !all && len(d.unsaved) == 0 {
		return
	}
	for _, a := range d.history {
		if all || d.unsaved[a] {
			put(kindAlgo, storedAlgo{
				a.id, a.arg, a.account, a.posSide, a.qty, a.legs, a.open, a.state, a.actual, a.fired, a.orderID,
				a.failCode, a.amendResult, a.reqID, a.createdAt, a.updatedAt, a.triggeredAt,
			})
		}
	}
	clear(d.unsaved)
}

func (d *algoBook) load(value json.RawMessage) error {
	var stored storedAlgo
	if err := json.Unmarshal(value, &stored); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a, known := d.byID[stored.ID]
	if !known {
		a = &algo{}
	}
	*a = algo{
		d, stored.Arg, stored.Account, stored.PosSide, stored.Qty, stored.ID, stored.Legs, stored.Open, stored.State, stored.Actual,
		stored.Fired, stored.OrderID, stored.FailCode, stored.AmendResult, stored.ReqID, stored.CreatedAt, stored.UpdatedAt, stored.TriggeredAt,
	}
	if !known {
		d.record(a)
	}
	if a.state == algoLive {
		d.live[a.id] = a
	} else {
		delete(d.live, a.id)
	}
	return nil
}

// restore cancels the legs that their algo orders left behind: the simulator ended
// between the trigger of one leg and the cancellation of the other.
func (d *algoBook) restore() {
	d.mu.Lock()
	for _, a := range d.history {
		if !a.fired {
			continue
		}
		for id, kind := range a.legs {
			if kind != a.actual {
				d.due = append(d.due, func() { d.cancelLeg(a.account, id) })
			}
		}
	}
	d.mu.Unlock()
	d.settle()
}
