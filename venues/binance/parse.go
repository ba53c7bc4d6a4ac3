package binance

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func parseSide(word string) (venues.Side, error) {
	switch word {
	case "BUY":
		return venues.Buy, nil
	case "SELL":
		return venues.Sell, nil
	}
	return "", payload.UnknownWord("side", word)
}

func formatSide(s venues.Side) string {
	if s == venues.Buy {
		return "BUY"
	}
	return "SELL"
}

// parseType reads an order type, current or of the time before stops moved to
// the algo endpoints. A take profit is a stop with another side of the market.
func parseType(word string) (venues.OrderType, error) {
	switch word {
	case "LIMIT":
		return venues.TypeLimit, nil
	case "MARKET", "LIQUIDATION":
		return venues.TypeMarket, nil
	case "STOP", "TAKE_PROFIT":
		return venues.TypeStopLimit, nil
	case "STOP_MARKET", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET":
		return venues.TypeStopMarket, nil
	}
	return "", payload.UnknownWord("order type", word)
}

// parseTimeInForce is tolerant: the word describes and decides nothing here.
func parseTimeInForce(word string) (tif venues.TimeInForce, postOnly bool) {
	switch word {
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

// endsAtOnce says whether an EXPIRED order of this kind was simply over: what
// the market did not give at once was cancelled.
func endsAtOnce(orderType, timeInForce string) bool {
	return orderType == "MARKET" || timeInForce == "IOC" || timeInForce == "FOK" || timeInForce == "GTX"
}

// parseStatus reads the status of an order of the matching engine. waiting says
// that the order is a stop of the old kind that has not triggered.
func parseStatus(word string, waiting, atOnce bool) (venues.OrderStatus, error) {
	switch word {
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
	return "", payload.UnknownWord("order status", word)
}

// parseTypes reads the current and the original type of an order object. A stop
// of the old kind becomes LIMIT or MARKET once it has triggered, so that a current
// type of stop is one that waits.
func parseTypes(current, original string) (t venues.OrderType, waiting bool, err error) {
	now, err := parseType(current)
	if err != nil || original == "" {
		return now, now.IsStop(), err
	}
	t, err = parseType(original)
	return t, now.IsStop(), err
}

// parseAlgoStatus reads the status of an algo order.
func parseAlgoStatus(word string, filled, qty decimal.Decimal) (venues.OrderStatus, error) {
	switch word {
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
	return "", payload.UnknownWord("algo status", word)
}

// positionBook says which position an entry is about.
type positionBook string

const (
	bookBoth  positionBook = "BOTH" // one-way mode
	bookLong  positionBook = "LONG"
	bookShort positionBook = "SHORT"
)

func parsePositionBook(word string) (positionBook, error) {
	switch b := positionBook(word); b {
	case bookBoth, bookLong, bookShort:
		return b, nil
	}
	return "", payload.UnknownWord("position side", word)
}

// parseOrderBook is parsePositionBook for orders, where the oldest records lack
// the field: they are of the time before hedge mode.
func parseOrderBook(word string) (positionBook, error) {
	if word == "" {
		return bookBoth, nil
	}
	return parsePositionBook(word)
}

// sideOf is the direction of a position of the given signed amount, which is not
// zero in one-way mode.
func (b positionBook) sideOf(amount decimal.Decimal) venues.PositionSide {
	switch {
	case b == bookLong, b == bookBoth && amount.IsPositive():
		return venues.Long
	default:
		return venues.Short
	}
}

// hedged is the position of an execution in hedge mode; empty in one-way mode.
func (b positionBook) hedged() venues.PositionSide {
	switch b {
	case bookLong:
		return venues.Long
	case bookShort:
		return venues.Short
	default:
		return ""
	}
}

// reduces says whether an order can only reduce. In hedge mode that follows from
// the position it works on, whatever the flag says.
func (b positionBook) reduces(side venues.Side, flag bool) bool {
	if hedged := b.hedged(); hedged != "" {
		return hedged == side.Reduces()
	}
	return flag
}

func parseMarginMode(word string) (venues.MarginMode, error) {
	switch word {
	case "CROSSED", "cross", "CROSS":
		return venues.MarginCross, nil
	case "ISOLATED", "isolated":
		return venues.MarginIsolated, nil
	}
	return "", payload.UnknownWord("margin type", word)
}
