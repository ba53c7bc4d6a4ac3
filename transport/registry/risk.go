package registry

import (
	"context"
	"fmt"

	"venuegate/venues"
)

// AccountRisk is an account with the loss of the day, by its parts. Its limit is
// Limits.DailyLoss. Amounts are in the settlement currency; null is one that is not known.
type AccountRisk struct {
	Account
	// Day is 00:00 UTC of the day.
	Day      venues.Time `json:"day"`
	Realized string      `json:"realized"`
	// Fees are those that are counted; UncountedFees has the others.
	Fees             string  `json:"fees"`
	UnrealizedChange *string `json:"unrealizedChange"`
	// Forgiven is the loss that an unlock has forgiven.
	Forgiven string `json:"forgiven"`
	// Loss is fees - realized - unrealizedChange - forgiven; a gain is negative.
	Loss *string `json:"loss"`
	// Remaining is what may be lost until the account is locked; null without a limit.
	Remaining *string `json:"remaining"`
	// AsOf is when the positions were last read from the venue.
	AsOf venues.Time `json:"asOf"`
	// Halt is the progress of a halt; null if the account is not halted.
	Halt *venues.HaltReport `json:"halt"`
}

// Risk returns the loss of the day of a running account against its limit.
func (a *Accounts) Risk(ctx context.Context, id string) (AccountRisk, error) {
	record, err := a.read(ctx, id)
	if err != nil {
		return AccountRisk{}, err
	}
	report, err := a.service.Risk(ctx, record.Customer, record.Exchange)
	if err != nil {
		return AccountRisk{}, fmt.Errorf("read the risk of account %s: %w", id, err)
	}
	account, err := a.Get(ctx, id) // the lock is not older than the loss
	if err != nil {
		return AccountRisk{}, err
	}
	return AccountRisk{
		Account: account, Day: report.Day, Realized: venues.FormatDecimal(report.Realized), Fees: venues.FormatDecimal(report.Fees),
		UnrealizedChange: formatOptional(report.UnrealizedChange), Forgiven: venues.FormatDecimal(report.Forgiven),
		Loss: formatOptional(report.Loss), Remaining: formatOptional(report.Remaining), AsOf: report.AsOf, Halt: report.Halt,
	}, nil
}
