package okxsim

import (
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// Kinds of the entries in a state file.
const (
	kindAlgo    = "algo"
	kindHolding = "holding"
	kindEnded   = "ended"
)

// statePart keeps the algo orders, the earnings of positions and the details of orders.
// Dead-man switches end with the simulator.
type statePart struct{ sim *Sim }

// Save implements simcore.StatePart. Details refer to algo orders, which come first.
func (p statePart) Save(all bool, put func(kind string, value any)) {
	p.sim.algos.save(all, put)
	p.sim.holdings.save(all, put)
}

// Load implements simcore.StatePart.
func (p statePart) Load(kind string, value json.RawMessage) (known bool, err error) {
	switch kind {
	case kindAlgo:
		return true, p.sim.algos.load(value)
	case kindHolding, kindEnded:
		return true, p.sim.holdings.load(kind, value)
	}
	return false, nil
}

// Detail implements simcore.StatePart.
func (p statePart) Detail(encoded json.RawMessage) (any, error) {
	var stored storedDetail
	if err := json.Unmarshal(encoded, &stored); err != nil {
		return nil, err
	}
	d := &orderDetail{
		ordType: stored.OrdType, tag: stored.Tag, tdMode: stored.TdMode, leg: stored.Leg, source: stored.Source, ended: stored.Ended,
		execution: execution{stored.Fee, stored.PnL, stored.Last, stored.Leverage},
		amendment: amendment{stored.AmendSource, stored.AmendReqID, stored.AmendResult},
	}
	for _, a := range stored.Attached {
		d.attached = append(d.attached, attachment{a.ID, a.Arg})
	}
	if stored.Algo != 0 {
		if d.algo = p.sim.algos.byID[stored.Algo]; d.algo == nil {
			return nil, fmt.Errorf("there is no algo order %d", stored.Algo)
		}
	}
	return d, nil
}

// storedDetail is an orderDetail in a state file. Algo is the id of its algo order, zero
// for none.
type storedDetail struct {
	OrdType     string             `json:"ordType"`
	Tag         string             `json:"tag,omitempty"`
	TdMode      string             `json:"tdMode,omitempty"`
	Algo        int64              `json:"algo,omitempty"`
	Leg         legKind            `json:"leg,omitempty"`
	Source      string             `json:"source,omitempty"`
	Attached    []storedAttachment `json:"attached,omitempty"`
	Fee         decimal.Decimal    `json:"fee"`
	PnL         decimal.Decimal    `json:"pnl"`
	Last        simcore.Fill       `json:"last"`
	Leverage    int                `json:"leverage"`
	AmendSource string             `json:"amendSource,omitempty"`
	AmendReqID  string             `json:"amendReqId,omitempty"`
	AmendResult string             `json:"amendResult,omitempty"`
	Ended       string             `json:"ended,omitempty"`
}

type storedAttachment struct {
	ID  string        `json:"id"`
	Arg attachmentArg `json:"arg"`
}

// MarshalJSON implements json.Marshaler for the state file.
func (d *orderDetail) MarshalJSON() ([]byte, error) {
	var algo int64
	if d.algo != nil {
		algo = d.algo.book.idOf(d.algo)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	stored := storedDetail{
		OrdType: d.ordType, Tag: d.tag, TdMode: d.tdMode, Algo: algo, Leg: d.leg, Source: d.source, Ended: d.ended,
		Fee: d.execution.fee, PnL: d.execution.pnl, Last: d.execution.last, Leverage: d.execution.leverage,
		AmendSource: d.amendment.source, AmendReqID: d.amendment.reqID, AmendResult: d.amendment.result,
	}
	for _, a := range d.attached {
		stored.Attached = append(stored.Attached, storedAttachment{a.id, a.arg})
	}
	return json.Marshal(stored)
}
