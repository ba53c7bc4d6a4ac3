package bybit

import (
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// integer is a whole number that the venue prints as a number or as a string; "" and null
// are zero.
type integer int64

func (i *integer) UnmarshalJSON(data []byte) error {
	text := payload.Unquote(data)
	if text == "" {
		*i = 0
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	*i = integer(n)
	return nil
}

// time returns the integer as a time in milliseconds.
func (i integer) time() time.Time { return payload.Millis(int64(i)) }

func formatMillis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

var sides = map[string]venues.Side{"Buy": venues.Buy, "Sell": venues.Sell}

func parseSide(value string) (venues.Side, error) { return payload.Enum("side", sides, value) }

func formatSide(s venues.Side) string {
	if s == venues.Buy {
		return "Buy"
	}
	return "Sell"
}

// parseType parses the type of an order. Orders that wait for a trigger, or have waited
// for one, have a stop type.
func parseType(orderType, stopOrderType string) (venues.OrderType, error) {
	stop := stopOrderType != "" && stopOrderType != "UNKNOWN"
	switch {
	case orderType == "Market" && stop:
		return venues.TypeStopMarket, nil
	case orderType == "Market":
		return venues.TypeMarket, nil
	case orderType == "Limit" && stop:
		return venues.TypeStopLimit, nil
	case orderType == "Limit":
		return venues.TypeLimit, nil
	}
	return "", payload.UnknownValue("order type", orderType)
}

func formatType(t venues.OrderType) string {
	if t.IsMarket() {
		return "Market"
	}
	return "Limit"
}

// postOnlyForce is the time in force of post-only orders.
const postOnlyForce = "PostOnly"

// parseTimeInForce accepts unknown values, because nothing depends on the result.
func parseTimeInForce(value string) (tif venues.TimeInForce, postOnly bool) {
	switch value {
	case "GTC":
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

// orderStatuses maps the venue's states. Deactivated is a stop that ended before its trigger;
// Triggered is a short state before New.
var orderStatuses = map[string]venues.OrderStatus{
	"Created": venues.StatusPending, "Untriggered": venues.StatusUntriggered,
	"New": venues.StatusOpen, "Triggered": venues.StatusOpen,
	"PartiallyFilled": venues.StatusPartiallyFilled, "Filled": venues.StatusFilled,
	"Cancelled": venues.StatusCancelled, "Deactivated": venues.StatusCancelled, "PartiallyFilledCanceled": venues.StatusCancelled,
	"Rejected": venues.StatusRejected,
}

func parseStatus(value string) (venues.OrderStatus, error) {
	return payload.Enum("order status", orderStatuses, value)
}

// positionIndex is the positionIdx of a position or an order as printed. It is required:
// without it one side of hedge mode would be taken for the whole position.
type positionIndex string

func (i *positionIndex) UnmarshalJSON(data []byte) error {
	*i = positionIndex(payload.Unquote(data))
	return nil
}

var positionSides = map[string]venues.PositionSide{"0": "", "1": venues.Long, "2": venues.Short}

// side returns the position in hedge mode; empty in one-way mode.
func (i positionIndex) side() (venues.PositionSide, error) {
	return payload.Enum("positionIdx", positionSides, string(i))
}

// formatPositionSide returns the positionIdx of a position; posSide is empty in one-way mode.
func formatPositionSide(posSide venues.PositionSide) int {
	switch posSide {
	case venues.Long:
		return 1
	case venues.Short:
		return 2
	default:
		return 0
	}
}
