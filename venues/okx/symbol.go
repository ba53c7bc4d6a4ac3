package okx

import (
	"slices"
	"strings"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// Kinds of instrument at the venue.
const (
	instTypeSwap    = "SWAP"
	instTypeFutures = "FUTURES"
)

// canonicalSymbol returns the canonical symbol of a venue symbol: BTC-USDT-SWAP is
// BTCUSDT, BTC-USDT-260925 is BTCUSDT-260925.
func canonicalSymbol(instID string) string { return venues.NormalizeSymbol(instID) }

// isSupportedName reports whether a venue symbol is that of a supported instrument: a
// perpetual or future settled in a stablecoin. It is for instruments that are not in the list.
// A text that is not a venue symbol is an error.
func isSupportedName(instID string) (bool, error) {
	if !strings.Contains(instID, "-") {
		return false, payload.UnknownValue("instId", instID)
	}
	parts := strings.Split(instID, "-")
	return len(parts) == 3 && isSettlement(parts[1]), nil
}

func isSettlement(currency string) bool { return slices.Contains(venues.SettleCurrencies(), currency) }
