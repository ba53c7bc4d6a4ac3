package binance

import (
	"context"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Account types: whether one asset or all assets together are the margin.
const (
	singleAsset = "single_asset"
	multiAssets = "multi_assets"
)

// accountConfig is GET /fapi/v1/accountConfig.
type accountConfig struct {
	CanTrade          *bool `json:"canTrade"`
	DualSidePosition  *bool `json:"dualSidePosition"`
	MultiAssetsMargin *bool `json:"multiAssetsMargin"`
}

// Mode reads position mode and margin pool and keeps them for orders. At intervals it
// also reads the leverage limits, for the list of instruments, and the leverages, which
// position events lack.
func (a *Account) Mode(ctx context.Context) (venues.AccountMode, error) {
	var answer accountConfig
	if err := a.get(ctx, "/fapi/v1/accountConfig", nil, 5, &answer); err != nil {
		return venues.AccountMode{}, err
	}
	if answer.DualSidePosition == nil || answer.MultiAssetsMargin == nil {
		return venues.AccountMode{}, restclient.Unreadable(http.MethodGet, "/fapi/v1/accountConfig", payload.Missing("dualSidePosition"))
	}
	mode := venues.AccountMode{AccountType: singleAsset, Hedge: *answer.DualSidePosition, ReadAt: time.Now()}
	if *answer.MultiAssetsMargin {
		mode.AccountType = multiAssets
	}
	a.mode.Store(&mode)
	if a.c.maxLeverages.due(mode.ReadAt) {
		// After a failure MaxLeverage is unknown, and the mode is still valid.
		_ = a.readLeverageLimits(ctx)
	}
	if !a.leverages.known() {
		_, _ = a.symbolConfigs(ctx, "") // after a failure the leverage in events is unknown
	}
	return mode, nil
}

// setMultiAssets adopts the margin pool of an event.
func (a *Account) setMultiAssets(on bool) {
	mode := a.mode.Load()
	if mode == nil {
		return
	}
	changed := *mode
	changed.AccountType = singleAsset
	if on {
		changed.AccountType = multiAssets
	}
	a.mode.CompareAndSwap(mode, &changed)
}
