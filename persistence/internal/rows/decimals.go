package rows

import (
	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// strictDecimal is a decimal on its way in: a JSON string in plain notation.
// The decimal library itself would also take bare numbers and exponents.
type strictDecimal decimal.Decimal

// UnmarshalJSON reads a quoted plain decimal.
func (d *strictDecimal) UnmarshalJSON(data []byte) error {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return venues.ErrDecimal
	}
	parsed, err := venues.ParseVenueDecimal(string(data[1 : len(data)-1]))
	*d = strictDecimal(parsed)
	return err
}

// strictOptional is a strictDecimal or null.
type strictOptional venues.Optional

// UnmarshalJSON reads a quoted plain decimal or null.
func (o *strictOptional) UnmarshalJSON(data []byte) error {
	*o = strictOptional{}
	if string(data) == "null" {
		return nil
	}
	o.Valid = true
	return (*strictDecimal)(&o.Decimal).UnmarshalJSON(data)
}

// orderRow is an OrderRecord on its way in. Its fields hide the decimals of the
// record of the same JSON names.
type orderRow struct {
	persistence.OrderRecord
	Qty          strictDecimal  `json:"qty"`
	Price        strictOptional `json:"price"`
	TriggerPrice strictOptional `json:"triggerPrice"`
	StopLoss     strictOptional `json:"stopLoss"`
	TakeProfit   strictOptional `json:"takeProfit"`
	FilledQty    strictDecimal  `json:"filledQty"`
	ReleasedQty  strictDecimal  `json:"releasedQty"`
	AvgPrice     strictOptional `json:"avgPrice"`
	Fee          strictOptional `json:"fee"`
	Protection   *protectionRow `json:"protection"`
	Amend        *amendmentRow  `json:"amend"`
}

type amendmentRow struct {
	persistence.Amendment
	Qty          strictDecimal  `json:"qty"`
	Price        strictOptional `json:"price"`
	TriggerPrice strictOptional `json:"triggerPrice"`
	StopLoss     strictOptional `json:"stopLoss"`
	TakeProfit   strictOptional `json:"takeProfit"`
	Before       *protectionRow `json:"before"`
}

type protectionRow struct {
	StopLoss   *protectionLegRow `json:"stopLoss"`
	TakeProfit *protectionLegRow `json:"takeProfit"`
}

type protectionLegRow struct {
	venues.ProtectionLeg
	Price strictDecimal `json:"price"`
}

func decodeOrder(value []byte) (persistence.OrderRecord, error) {
	row, err := decode[orderRow](value)
	if err != nil {
		return persistence.OrderRecord{}, err
	}
	record := row.OrderRecord
	record.Qty = decimal.Decimal(row.Qty)
	record.Price = venues.Optional(row.Price)
	record.TriggerPrice = venues.Optional(row.TriggerPrice)
	record.StopLoss = venues.Optional(row.StopLoss)
	record.TakeProfit = venues.Optional(row.TakeProfit)
	record.FilledQty = decimal.Decimal(row.FilledQty)
	record.ReleasedQty = decimal.Decimal(row.ReleasedQty)
	record.AvgPrice = venues.Optional(row.AvgPrice)
	record.Fee = venues.Optional(row.Fee)
	record.Protection = row.Protection.protection()
	record.Amend = row.Amend.amendment()
	return record, nil
}

func (r *amendmentRow) amendment() *persistence.Amendment {
	if r == nil {
		return nil
	}
	a := r.Amendment
	a.Qty = decimal.Decimal(r.Qty)
	a.Price, a.TriggerPrice = venues.Optional(r.Price), venues.Optional(r.TriggerPrice)
	a.StopLoss, a.TakeProfit = venues.Optional(r.StopLoss), venues.Optional(r.TakeProfit)
	a.Before = r.Before.protection()
	return &a
}

func (r *protectionRow) protection() *venues.Protection {
	if r == nil {
		return nil
	}
	return &venues.Protection{StopLoss: r.StopLoss.leg(), TakeProfit: r.TakeProfit.leg()}
}

func (r *protectionLegRow) leg() *venues.ProtectionLeg {
	if r == nil {
		return nil
	}
	leg := r.ProtectionLeg
	leg.Price = decimal.Decimal(r.Price)
	return &leg
}

// fillRow is a FillRecord on its way in.
type fillRow struct {
	persistence.FillRecord
	Qty         strictDecimal  `json:"qty"`
	Price       strictDecimal  `json:"price"`
	Fee         strictOptional `json:"fee"`
	RealizedPnl strictOptional `json:"realizedPnl"`
	FeeWorth    strictOptional `json:"feeWorth"`
}

func decodeFill(value []byte) (persistence.FillRecord, error) {
	row, err := decode[fillRow](value)
	if err != nil {
		return persistence.FillRecord{}, err
	}
	record := row.FillRecord
	record.Qty = decimal.Decimal(row.Qty)
	record.Price = decimal.Decimal(row.Price)
	record.Fee = venues.Optional(row.Fee)
	record.RealizedPnl = venues.Optional(row.RealizedPnl)
	record.FeeWorth = venues.Optional(row.FeeWorth)
	return record, nil
}

// channelRow is a Channel on its way in.
type channelRow struct {
	persistence.Channel
	Rules struct {
		persistence.ChannelRules
		MaxQty strictOptional `json:"maxQty"`
	} `json:"rules"`
}

func decodeChannel(value []byte) (persistence.Channel, error) {
	row, err := decode[channelRow](value)
	if err != nil {
		return persistence.Channel{}, err
	}
	record := row.Channel
	record.Rules = row.Rules.ChannelRules
	record.Rules.MaxQty = venues.Optional(row.Rules.MaxQty)
	return record, nil
}

// signalRow is a SignalRecord on its way in.
type signalRow struct {
	persistence.SignalRecord
	Qty        strictOptional `json:"qty"`
	Price      strictOptional `json:"price"`
	StopLoss   strictOptional `json:"stopLoss"`
	TakeProfit strictOptional `json:"takeProfit"`
}

func decodeSignal(value []byte) (persistence.SignalRecord, error) {
	row, err := decode[signalRow](value)
	if err != nil {
		return persistence.SignalRecord{}, err
	}
	record := row.SignalRecord
	record.Qty = venues.Optional(row.Qty)
	record.Price = venues.Optional(row.Price)
	record.StopLoss = venues.Optional(row.StopLoss)
	record.TakeProfit = venues.Optional(row.TakeProfit)
	return record, nil
}

// alertRow is an Alert on its way in.
type alertRow struct {
	persistence.Alert
	Condition struct {
		venues.PriceCondition
		Value strictDecimal `json:"value"`
	} `json:"condition"`
}

func decodeAlert(value []byte) (persistence.Alert, error) {
	row, err := decode[alertRow](value)
	if err != nil {
		return persistence.Alert{}, err
	}
	record := row.Alert
	record.Condition = row.Condition.PriceCondition
	record.Condition.Value = decimal.Decimal(row.Condition.Value)
	return record, nil
}
