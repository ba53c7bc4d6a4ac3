package bybit

import (
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// integer is a whole number that the venue prints as a number here and as a
// string there; "" and null are zero.
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

// time is the integer as milliseconds.
func (i integer) time() time.Time { return payload.Millis(int64(i)) }

func formatMillis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

func parseSide(word string) (venues.Side, error) {
	switch word {
	case "Buy":
		return venues.Buy, nil
	case "Sell":
		return venues.Sell, nil
	}
	return "", payload.UnknownWord("side", word)
}

func formatSide(s venues.Side) string {
	if s == venues.Buy {
		return "Buy"
	}
	return "Sell"
}

// parseType reads what an order is: whatever waits for a trigger, or has waited
// for one, has a kind of stop.
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
	return "", payload.UnknownWord("order type", orderType)
}

func formatType(t venues.OrderType) string {
	if t.IsMarket() {
		return "Market"
	}
	return "Limit"
}

// parseTimeInForce is tolerant: the word describes and decides nothing here.
func parseTimeInForce(word string) (tif venues.TimeInForce, postOnly bool) {
	switch word {
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

// parseStatus reads an order's status. Deactivated is a stop that ended before
// its trigger; Triggered lasts for a moment on its way to New.
func parseStatus(word string) (venues.OrderStatus, error) {
	switch word {
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
	return "", payload.UnknownWord("order status", word)
}

// positionIndex says which position an entry is about.
type positionIndex int

const (
	oneWay     positionIndex = 0
	hedgeLong  positionIndex = 1
	hedgeShort positionIndex = 2
)

// positionSlot is positionIdx of a position or an order. It must be told: without
// it one side of hedge mode would pass for the whole position.
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
	return oneWay, payload.UnknownWord("positionIdx", string(s))
}

// indexOf is what an order carries: one that reduces works on the position
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

// hedged is the position of an execution in hedge mode; empty in one-way mode.
func (p positionIndex) hedged() venues.PositionSide {
	switch p {
	case hedgeLong:
		return venues.Long
	case hedgeShort:
		return venues.Short
	default:
		return ""
	}
}

// reduces says whether an order can only reduce. In hedge mode that follows from
// the position it works on, whatever the flag says.
func (p positionIndex) reduces(side venues.Side, flag bool) bool {
	if hedged := p.hedged(); hedged != "" {
		return hedged == side.Reduces()
	}
	return flag
}
