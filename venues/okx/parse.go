package okx

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// moment is a time of the venue: milliseconds, as a string. "" is unknown.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	text := payload.Unquote(data)
	if text == "" {
		*m = moment{}
		return nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	m.Time = payload.Millis(ms)
	return nil
}

// flag is a boolean that the venue prints as a string.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	switch text := payload.Unquote(data); text {
	case "true":
		*f = true
	case "false", "":
		*f = false
	default:
		return payload.UnknownWord("boolean", text)
	}
	return nil
}

func parseSide(word string) (venues.Side, error) {
	switch s := venues.Side(word); s {
	case venues.Buy, venues.Sell: // the venue's words are ours
		return s, nil
	}
	return "", payload.UnknownWord("side", word)
}

// orderKind is what the venue's one word for an order says here.
type orderKind struct {
	orderType   venues.OrderType
	timeInForce venues.TimeInForce
	postOnly    bool
}

func parseOrderKind(word string) (orderKind, error) {
	switch word {
	case "market", "optimal_limit_ioc":
		return orderKind{venues.TypeMarket, "", false}, nil
	case "limit":
		return orderKind{venues.TypeLimit, venues.GoodTillCancel, false}, nil
	case "post_only", "rpi", "elp", "mmp_and_post_only":
		return orderKind{venues.TypeLimit, venues.GoodTillCancel, true}, nil
	case "mmp":
		return orderKind{venues.TypeLimit, venues.GoodTillCancel, false}, nil
	case "ioc":
		return orderKind{venues.TypeLimit, venues.ImmediateOrCancel, false}, nil
	case "fok":
		return orderKind{venues.TypeLimit, venues.FillOrKill, false}, nil
	}
	return orderKind{}, payload.UnknownWord("order type", word)
}

// formatOrderKind is the venue's word for a market or limit order.
func formatOrderKind(s *venues.OrderSpec) string {
	switch {
	case s.Type.IsMarket():
		return "market"
	case s.PostOnly:
		return "post_only"
	case s.TimeInForce == venues.ImmediateOrCancel:
		return "ioc"
	case s.TimeInForce == venues.FillOrKill:
		return "fok"
	}
	return "limit"
}

func parseStatus(word string) (venues.OrderStatus, error) {
	switch word {
	case "live":
		return venues.StatusOpen, nil
	case "partially_filled":
		return venues.StatusPartiallyFilled, nil
	case "filled":
		return venues.StatusFilled, nil
	case "canceled", "mmp_canceled":
		return venues.StatusCancelled, nil
	}
	return "", payload.UnknownWord("order state", word)
}

// States of an algo order that waits no more.
const (
	algoEffective       = "effective"
	algoPartlyEffective = "partially_effective"
	algoCanceled        = "canceled"
	algoFailed          = "order_failed"
	algoPartlyFailed    = "partially_failed"
)

// parseAlgoStatus reads the state of an algo order. Once it is in effect its
// child order tells the rest.
func parseAlgoStatus(word string) (venues.OrderStatus, error) {
	switch word {
	case "live", "pause":
		return venues.StatusUntriggered, nil
	case algoEffective, algoPartlyEffective:
		return venues.StatusOpen, nil
	case algoCanceled:
		return venues.StatusCancelled, nil
	case algoFailed, algoPartlyFailed:
		return venues.StatusRejected, nil
	}
	return "", payload.UnknownWord("algo state", word)
}

// positionBook says which position an entry is about.
type positionBook string

const (
	bookNet   positionBook = "net" // one-way mode
	bookLong  positionBook = "long"
	bookShort positionBook = "short"
)

// parsePositionBook reads posSide. Orders of accounts without positions have "".
func parsePositionBook(word string) (positionBook, error) {
	switch b := positionBook(word); b {
	case bookNet, bookLong, bookShort:
		return b, nil
	case "":
		return bookNet, nil
	}
	return "", payload.UnknownWord("position side", word)
}

// sideOf is the direction of a position of the given signed amount, which is not
// zero in one-way mode.
func (b positionBook) sideOf(amount decimal.Decimal) venues.PositionSide {
	if b == bookLong || b == bookNet && amount.IsPositive() {
		return venues.Long
	}
	return venues.Short
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
	switch m := venues.MarginMode(word); m {
	case venues.MarginCross, venues.MarginIsolated: // the venue's words are ours
		return m, nil
	}
	return "", payload.UnknownWord("margin mode", word)
}

func parseLiquidity(word string) venues.Liquidity {
	switch word {
	case "M":
		return venues.Maker
	case "T":
		return venues.Taker
	}
	return "" // liquidations have none
}
