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

func parseSide(value string) (venues.Side, error) {
	switch value {
	case "Buy":
		return venues.Buy, nil
	case "Sell":
		return venues.Sell, nil
	}
	return "", payload.UnknownValue("side", value)
}

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

// parseTimeInForce accepts unknown values, because nothing depends on the result.
func parseTimeInForce(value string) (tif venues.TimeInForce, postOnly bool) {
	switch value {
	case "GTC":
		return venues.GoodTillCancel, false
	case "PostOnly", "RPI":
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
		return "PostOnly"
	case tif == venues.ImmediateOrCancel:
		return "IOC"
	case tif == venues.FillOrKill:
		return "FOK"
	}
	return "GTC"
}

// parseStatus parses an order's status. Deactivated is a stop that ended before its
// trigger; Triggered is a short state before New.
func parseStatus(value string) (venues.OrderStatus, error) {
	switch value {
	case "Created":
		return venues.StatusPending, nil
	case "Untriggered":
		return venues.StatusUntriggered, nil
	case "New", "Triggered":
		return venues.StatusOpen, nil
	case "PartiallyFilled":
		return venues.StatusPartiallyFilled, nil
	case "Filled":
		return venues.StatusFilled, nil
	case "Cancelled", "Deactivated", "PartiallyFilledCanceled":
		return venues.StatusCancelled, nil
	case "Rejected":
		return venues.StatusRejected, nil
	}
	return "", payload.UnknownValue("order status", value)
}

// positionIndex is the venue's positionIdx: the position that an entry refers to.
type positionIndex int

const (
	oneWay     positionIndex = 0
	hedgeLong  positionIndex = 1
	hedgeShort positionIndex = 2
)

// positionSlot is the positionIdx of a position or an order as printed. It is required:
// without it one side of hedge mode would be taken for the whole position.
type positionSlot string

func (s *positionSlot) UnmarshalJSON(data []byte) error {
	*s = positionSlot(payload.Unquote(data))
	return nil
}

func (s positionSlot) index() (positionIndex, error) {
	switch s {
	case "0":
		return oneWay, nil
	case "1":
		return hedgeLong, nil
	case "2":
		return hedgeShort, nil
	}
	return oneWay, payload.UnknownValue("positionIdx", string(s))
}

// indexOf returns the index for an order: a reducing order refers to the position
// opposite to its side.
func indexOf(hedge bool, side venues.Side, reduces bool) positionIndex {
	switch {
	case !hedge:
		return oneWay
	case (side == venues.Buy) != reduces:
		return hedgeLong
	default:
		return hedgeShort
	}
}

// hedgeSide returns the side of the position in hedge mode; empty in one-way mode.
func (p positionIndex) hedgeSide() venues.PositionSide {
	switch p {
	case hedgeLong:
		return venues.Long
	case hedgeShort:
		return venues.Short
	default:
		return ""
	}
}

// reduces reports whether an order can only reduce. In hedge mode that follows from its
// position, whatever the flag.
func (p positionIndex) reduces(side venues.Side, flag bool) bool {
	if hedge := p.hedgeSide(); hedge != "" {
		return hedge == side.Reduces()
	}
	return flag
}
