package binance

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func parseSide(value string) (venues.Side, error) {
	switch value {
	case "BUY":
		return venues.Buy, nil
	case "SELL":
		return venues.Sell, nil
	}
	return "", payload.UnknownValue("side", value)
}

func formatSide(s venues.Side) string {
	if s == venues.Buy {
		return "BUY"
	}
	return "SELL"
}

// parseType parses an order type, including those from before stops moved to the algo
// endpoints. A take profit is a stop on the other side of the market.
func parseType(value string) (venues.OrderType, error) {
	switch value {
	case "LIMIT":
		return venues.TypeLimit, nil
	case "MARKET", "LIQUIDATION":
		return venues.TypeMarket, nil
	case "STOP", "TAKE_PROFIT":
		return venues.TypeStopLimit, nil
	case "STOP_MARKET", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET":
		return venues.TypeStopMarket, nil
	}
	return "", payload.UnknownValue("order type", value)
}

// parseTimeInForce accepts unknown values, because nothing depends on the result.
func parseTimeInForce(value string) (tif venues.TimeInForce, postOnly bool) {
	switch value {
	case "GTC", "GTD", "GTE_GTC":
		return venues.GoodTillCancel, false
	case "GTX", "RPI":
		return venues.GoodTillCancel, true
	case "IOC":
		return venues.ImmediateOrCancel, false
	case "FOK":
		return venues.FillOrKill, false
	}
	return "", false
}

func formatTimeInForce(tif venues.TimeInForce, postOnly bool) string {
	switch {
	case postOnly:
		return "GTX"
	case tif == venues.ImmediateOrCancel:
		return "IOC"
	case tif == venues.FillOrKill:
		return "FOK"
	}
	return "GTC"
}

// endsAtOnce reports whether an EXPIRED order of this kind has simply ended because the
// market did not fill it immediately.
func endsAtOnce(orderType, timeInForce string) bool {
	return orderType == "MARKET" || timeInForce == "IOC" || timeInForce == "FOK" || timeInForce == "GTX"
}

// parseStatus parses the status of an order of the matching engine. waiting marks an
// untriggered stop of the old kind.
func parseStatus(value string, waiting, atOnce bool) (venues.OrderStatus, error) {
	switch value {
	case "NEW", "NEW_INSURANCE", "NEW_ADL":
		if waiting {
			return venues.StatusUntriggered, nil
		}
		return venues.StatusOpen, nil
	case "PARTIALLY_FILLED":
		return venues.StatusPartiallyFilled, nil
	case "FILLED":
		return venues.StatusFilled, nil
	case "CANCELED":
		return venues.StatusCancelled, nil
	case "REJECTED":
		return venues.StatusRejected, nil
	case "EXPIRED", "EXPIRED_IN_MATCH":
		if atOnce {
			return venues.StatusCancelled, nil
		}
		return venues.StatusExpired, nil
	}
	return "", payload.UnknownValue("order status", value)
}

// parseTypes parses the current and the original type of an order. A stop of the old kind
// becomes LIMIT or MARKET when it triggers, so a current stop type means that it waits.
func parseTypes(current, original string) (t venues.OrderType, waiting bool, err error) {
	now, err := parseType(current)
	if err != nil || original == "" {
		return now, now.IsStop(), err
	}
	t, err = parseType(original)
	return t, now.IsStop(), err
}

// parseAlgoStatus parses the status of an algo order.
func parseAlgoStatus(value string, filled, qty decimal.Decimal) (venues.OrderStatus, error) {
	switch value {
	case "NEW", "TRIGGERING":
		return venues.StatusUntriggered, nil
	case "TRIGGERED":
		if filled.IsPositive() {
			return venues.StatusPartiallyFilled, nil
		}
		return venues.StatusOpen, nil
	case "FINISHED":
		if filled.IsPositive() && filled.GreaterThanOrEqual(qty) {
			return venues.StatusFilled, nil
		}
		return venues.StatusCancelled, nil
	case "CANCELED":
		return venues.StatusCancelled, nil
	case "EXPIRED":
		return venues.StatusExpired, nil
	case "REJECTED":
		return venues.StatusRejected, nil
	}
	return "", payload.UnknownValue("algo status", value)
}

// positionSide is the venue's positionSide: the position that an entry refers to.
type positionSide string

const (
	sideBoth  positionSide = "BOTH" // one-way mode
	sideLong  positionSide = "LONG"
	sideShort positionSide = "SHORT"
)

func parsePositionSide(value string) (positionSide, error) {
	switch s := positionSide(value); s {
	case sideBoth, sideLong, sideShort:
		return s, nil
	}
	return "", payload.UnknownValue("position side", value)
}

// parseOrderPositionSide is parsePositionSide for orders, where the oldest records, from
// before hedge mode, lack the member.
func parseOrderPositionSide(value string) (positionSide, error) {
	if value == "" {
		return sideBoth, nil
	}
	return parsePositionSide(value)
}

// sideOf returns the side of a position with the given signed amount, which is not zero
// in one-way mode.
func (s positionSide) sideOf(amount decimal.Decimal) venues.PositionSide {
	switch {
	case s == sideLong, s == sideBoth && amount.IsPositive():
		return venues.Long
	default:
		return venues.Short
	}
}

// hedgeSide returns the side of the position in hedge mode; empty in one-way mode.
func (s positionSide) hedgeSide() venues.PositionSide {
	switch s {
	case sideLong:
		return venues.Long
	case sideShort:
		return venues.Short
	default:
		return ""
	}
}

// reduces reports whether an order is reduce-only. In hedge mode that depends only on its
// side and on the position to which it belongs, whatever the flag.
func (s positionSide) reduces(side venues.Side, flag bool) bool {
	if hedge := s.hedgeSide(); hedge != "" {
		return hedge == side.Reduces()
	}
	return flag
}

func parseMarginMode(value string) (venues.MarginMode, error) {
	switch value {
	case "CROSSED", "cross", "CROSS":
		return venues.MarginCross, nil
	case "ISOLATED", "isolated":
		return venues.MarginIsolated, nil
	}
	return "", payload.UnknownValue("margin type", value)
}
