package binance

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

var sides = map[string]venues.Side{"BUY": venues.Buy, "SELL": venues.Sell}

func parseSide(value string) (venues.Side, error) { return payload.Enum("side", sides, value) }

func formatSide(s venues.Side) string {
	if s == venues.Buy {
		return "BUY"
	}
	return "SELL"
}

// orderTypes include those from before stops moved to the algo endpoints. A take profit is a
// stop on the other side of the market.
var orderTypes = map[string]venues.OrderType{
	"LIMIT":  venues.TypeLimit,
	"MARKET": venues.TypeMarket, "LIQUIDATION": venues.TypeMarket,
	"STOP": venues.TypeStopLimit, "TAKE_PROFIT": venues.TypeStopLimit,
	"STOP_MARKET": venues.TypeStopMarket, "TAKE_PROFIT_MARKET": venues.TypeStopMarket, "TRAILING_STOP_MARKET": venues.TypeStopMarket,
}

func parseType(value string) (venues.OrderType, error) {
	return payload.Enum("order type", orderTypes, value)
}

// postOnlyForce is the time in force of post-only orders.
const postOnlyForce = "GTX"

// parseTimeInForce accepts unknown values, because nothing depends on the result.
func parseTimeInForce(value string) (tif venues.TimeInForce, postOnly bool) {
	switch value {
	case "GTC", "GTD", "GTE_GTC":
		return venues.GoodTillCancel, false
	case postOnlyForce, "RPI":
		return venues.GoodTillCancel, true
	case "IOC":
		return venues.ImmediateOrCancel, false
	case "FOK":
		return venues.FillOrKill, false
	}
	return "", false
}

// endsAtOnce reports whether an EXPIRED order of this kind has simply ended because the
// market did not fill it immediately.
func endsAtOnce(orderType, timeInForce string) bool {
	return orderType == "MARKET" || timeInForce == "IOC" || timeInForce == "FOK" || timeInForce == "GTX"
}

// parseStatus parses the status of an order of the matching engine. untriggered marks a stop
// of the old kind before its trigger.
func parseStatus(value string, untriggered, atOnce bool) (venues.OrderStatus, error) {
	switch value {
	case "NEW", "NEW_INSURANCE", "NEW_ADL":
		if untriggered {
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
func parseTypes(current, original string) (t venues.OrderType, untriggered bool, err error) {
	t, err = parseType(current)
	untriggered = t.IsStop()
	if err != nil || original == "" {
		return t, untriggered, err
	}
	t, err = parseType(original)
	return t, untriggered, err
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

var positionSides = map[string]venues.PositionSide{"BOTH": "", "LONG": venues.Long, "SHORT": venues.Short}

// parsePositionSide parses the position that a record refers to; empty in one-way mode
// (BOTH).
func parsePositionSide(value string) (venues.PositionSide, error) {
	return payload.Enum("position side", positionSides, value)
}

// parseOrderPositionSide is parsePositionSide for orders, where the oldest records, from
// before hedge mode, lack the member.
func parseOrderPositionSide(value string) (venues.PositionSide, error) {
	if value == "" {
		return "", nil
	}
	return parsePositionSide(value)
}

// formatPositionSide returns the positionSide of an order in hedge mode.
func formatPositionSide(side venues.Side, reduces bool) string {
	if connector.PositionOf(true, side, reduces) == venues.Long {
		return "LONG"
	}
	return "SHORT"
}

var marginModes = map[string]venues.MarginMode{
	"CROSSED": venues.MarginCross, "CROSS": venues.MarginCross, "cross": venues.MarginCross,
	"ISOLATED": venues.MarginIsolated, "isolated": venues.MarginIsolated,
}

func parseMarginMode(value string) (venues.MarginMode, error) {
	return payload.Enum("margin type", marginModes, value)
}
