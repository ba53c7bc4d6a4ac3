package okx

import (
	"context"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// accountSpot is the account type that cannot trade derivatives.
const accountSpot = "spot"

// accountTypes maps the venue's account levels (acctLv) to account types.
var accountTypes = map[string]string{
	"1": accountSpot,
	"2": "futures",
	"3": "multi_currency",
	"4": "portfolio",
}

const configPath = "/api/v5/account/config"

// configRecord is GET /api/v5/account/config.
type configRecord struct {
	AcctLv  string `json:"acctLv"`
	PosMode string `json:"posMode"`
	Perm    string `json:"perm"`
	IP      string `json:"ip"`
}

func (a *Account) config(ctx context.Context) (configRecord, error) {
	var rows []configRecord
	if err := a.get(ctx, configPath, nil, 5, &rows); err != nil {
		return configRecord{}, err
	}
	if len(rows) != 1 {
		return configRecord{}, restclient.Unreadable(http.MethodGet, configPath, payload.Missing("data"))
	}
	return rows[0], nil
}

func (r configRecord) mode(now time.Time) (venues.AccountMode, error) {
	mode := venues.AccountMode{AccountType: accountTypes[r.AcctLv], NoDerivatives: accountTypes[r.AcctLv] == accountSpot, ReadAt: now}
	if mode.AccountType == "" {
		return mode, payload.UnknownValue("acctLv", r.AcctLv)
	}
	switch r.PosMode {
	case "net_mode":
	case "long_short_mode":
		mode.Hedge = true
	default:
		return mode, payload.UnknownValue("posMode", r.PosMode)
	}
	return mode, nil
}

// Mode reads account mode and position mode and keeps them for orders.
func (a *Account) Mode(ctx context.Context) (venues.AccountMode, error) {
	config, err := a.config(ctx)
	if err != nil {
		return venues.AccountMode{}, err
	}
	mode, err := config.mode(time.Now())
	if err != nil {
		return venues.AccountMode{}, restclient.Unreadable(http.MethodGet, configPath, err)
	}
	a.mode.Store(&mode)
	return mode, nil
}
