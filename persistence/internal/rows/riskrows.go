package rows

import (
	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// The rows below are records on their way in, as in decimals.go: their fields
// hide the decimals of the records of the same JSON names.
type (
	venueAccountRow struct {
		persistence.VenueAccount
		Limits limitsRow `json:"limits"`
	}
	limitsRow struct {
		persistence.RiskLimits
		DailyLoss        strictOptional `json:"dailyLoss"`
		MaxOrderNotional strictOptional `json:"maxOrderNotional"`
	}
	riskRow struct {
		persistence.RiskRecord
		Baseline strictOptional `json:"baseline"`
		Forgiven strictDecimal  `json:"forgiven"`
		Lock     *lockRow       `json:"lock"`
		// Uncounted hides the record's.
		Uncounted []uncountedRow `json:"uncounted"`
	}
	uncountedRow struct {
		persistence.UncountedFees
		Amount strictDecimal `json:"amount"`
	}
	lockRow struct {
		persistence.RiskLock
		Threshold strictDecimal `json:"threshold"`
		Actual    strictDecimal `json:"actual"`
	}
	positionRow struct {
		persistence.PositionRecord
		Long  *lifeRow `json:"long"`
		Short *lifeRow `json:"short"`
	}
	lifeRow struct {
		persistence.PositionLife
		EntryQty      strictDecimal  `json:"entryQty"`
		EntryNotional strictDecimal  `json:"entryNotional"`
		ExitQty       strictDecimal  `json:"exitQty"`
		ExitNotional  strictDecimal  `json:"exitNotional"`
		OpenCost      strictDecimal  `json:"openCost"`
		Fee           strictOptional `json:"fee"`
		UnpricedEntry strictDecimal  `json:"unpricedEntry"`
		UnpricedExit  strictDecimal  `json:"unpricedExit"`
	}
)

func decodeVenueAccount(value []byte) (persistence.VenueAccount, error) {
	row, err := decode[venueAccountRow](value)
	if err != nil {
		return persistence.VenueAccount{}, err
	}
	record := row.VenueAccount
	record.Limits = row.Limits.RiskLimits
	record.Limits.DailyLoss = venues.Optional(row.Limits.DailyLoss)
	record.Limits.MaxOrderNotional = venues.Optional(row.Limits.MaxOrderNotional)
	return record, nil
}

func decodeRisk(value []byte) (persistence.RiskRecord, error) {
	row, err := decode[riskRow](value)
	if err != nil {
		return persistence.RiskRecord{}, err
	}
	record := row.RiskRecord
	record.Baseline = venues.Optional(row.Baseline)
	record.Forgiven = decimal.Decimal(row.Forgiven)
	if row.Lock != nil {
		lock := row.Lock.RiskLock
		lock.Threshold, lock.Actual = decimal.Decimal(row.Lock.Threshold), decimal.Decimal(row.Lock.Actual)
		record.Lock = &lock
	}
	for _, fees := range row.Uncounted {
		record.Uncounted = append(record.Uncounted, persistence.UncountedFees{Currency: fees.Currency, Amount: decimal.Decimal(fees.Amount)})
	}
	return record, nil
}

func decodePosition(value []byte) (persistence.PositionRecord, error) {
	row, err := decode[positionRow](value)
	if err != nil {
		return persistence.PositionRecord{}, err
	}
	record := row.PositionRecord
	record.Long, record.Short = row.Long.life(), row.Short.life()
	return record, nil
}

func (r *lifeRow) life() *persistence.PositionLife {
	if r == nil {
		return nil
	}
	life := r.PositionLife
	life.EntryQty, life.EntryNotional = decimal.Decimal(r.EntryQty), decimal.Decimal(r.EntryNotional)
	life.ExitQty, life.ExitNotional = decimal.Decimal(r.ExitQty), decimal.Decimal(r.ExitNotional)
	life.OpenCost = decimal.Decimal(r.OpenCost)
	life.UnpricedEntry, life.UnpricedExit = decimal.Decimal(r.UnpricedEntry), decimal.Decimal(r.UnpricedExit)
	life.Fee = venues.Optional(r.Fee)
	return &life
}

func checkRisk(r *persistence.RiskRecord) error {
	err := firstError(checkDecimals(r.Baseline, venues.Some(r.Forgiven)), checkTimes(r.Day, r.HaltDone))
	if err == nil && r.Lock != nil {
		err = firstError(checkDecimals(venues.Some(r.Lock.Threshold), venues.Some(r.Lock.Actual)), checkTimes(r.Lock.At, r.Lock.Until))
	}
	for _, fees := range r.Uncounted {
		err = firstError(err, checkDecimals(venues.Some(fees.Amount)))
	}
	return err
}

func checkLife(l *persistence.PositionLife) error {
	if l == nil {
		return nil
	}
	quantities := []venues.Optional{
		venues.Some(l.EntryQty), venues.Some(l.EntryNotional), venues.Some(l.ExitQty), venues.Some(l.ExitNotional),
		venues.Some(l.UnpricedEntry), venues.Some(l.UnpricedExit), venues.Some(l.OpenCost), l.Fee,
	}
	return firstError(checkDecimals(quantities...), checkTimes(l.OpenedAt))
}
