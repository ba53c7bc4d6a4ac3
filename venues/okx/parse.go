package okx

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// milliTime is a time of the venue: milliseconds in a string. "" is unknown.
type milliTime struct{ time.Time }

func (m *milliTime) UnmarshalJSON(data []byte) error {
	text := payload.Unquote(data)
	if text == "" {
		*m = milliTime{}
		return nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	m.Time = payload.Millis(ms)
	return nil
}

// flag is a boolean. In answers the venue prints it as a string, in requests it expects a
// JSON boolean.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	switch text := payload.Unquote(data); text {
	case "true":
		*f = true
	case "false", "":
		*f = false
	default:
		return payload.UnknownValue("boolean", text)
	}
	return nil
}

func parseSide(value string) (venues.Side, error) {
	switch s := venues.Side(value); s {
	case venues.Buy, venues.Sell: // the venue has the same values
		return s, nil
	}
	return "", payload.UnknownValue("side", value)
}

// orderKind is the meaning of the venue's ordType.
type orderKind struct {
	orderType   venues.OrderType
	timeInForce venues.TimeInForce
	postOnly    bool
}

func parseOrderKind(value string) (orderKind, error) {
	switch value {
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
	return orderKind{}, payload.UnknownValue("order type", value)
}

// formatOrderKind returns the ordType of a market or limit order.
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

func parseStatus(value string) (venues.OrderStatus, error) {
	switch value {
	case "live":
		return venues.StatusOpen, nil
	case "partially_filled":
		return venues.StatusPartiallyFilled, nil
	case "filled":
		return venues.StatusFilled, nil
	case "canceled", "mmp_canceled":
		return venues.StatusCancelled, nil
	}
	return "", payload.UnknownValue("order state", value)
}

// States of an algo order that has triggered or ended.
const (
	algoEffective       = "effective"
	algoPartlyEffective = "partially_effective"
	algoCanceled        = "canceled"
	algoFailed          = "order_failed"
	algoPartlyFailed    = "partially_failed"
)

// parseAlgoStatus parses the state of an algo order. Once it is effective, its child order
// has the exact status.
func parseAlgoStatus(value string) (venues.OrderStatus, error) {
	switch value {
	case "live", "pause":
		return venues.StatusUntriggered, nil
	case algoEffective, algoPartlyEffective:
		return venues.StatusOpen, nil
	case algoCanceled:
		return venues.StatusCancelled, nil
	case algoFailed, algoPartlyFailed:
		return venues.StatusRejected, nil
	}
	return "", payload.UnknownValue("algo state", value)
}

// positionSide is the venue's posSide: the position of the instrument to which an order, an
// execution or a leverage belongs.
type positionSide string

const (
	sideNet   positionSide = "net" // one-way mode
	sideLong  positionSide = "long"
	sideShort positionSide = "short"
)

// parsePositionSide parses posSide. Accounts that cannot hold positions have "".
func parsePositionSide(value string) (positionSide, error) {
	switch s := positionSide(value); s {
	case sideNet, sideLong, sideShort:
		return s, nil
	case "":
		return sideNet, nil
	}
	return "", payload.UnknownValue("position side", value)
}

// sideOf returns the side of a position with the given signed amount, which is not zero
// in one-way mode.
func (s positionSide) sideOf(amount decimal.Decimal) venues.PositionSide {
	if s == sideLong || s == sideNet && amount.IsPositive() {
		return venues.Long
	}
	return venues.Short
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

// reduces reports whether an order is reduce-only. In hedge mode that depends only
// on its side and on the position to which it belongs, whatever the flag.
func (s positionSide) reduces(side venues.Side, flag bool) bool {
	if hedge := s.hedgeSide(); hedge != "" {
		return hedge == side.Reduces()
	}
	return flag
}

func parseMarginMode(value string) (venues.MarginMode, error) {
	switch m := venues.MarginMode(value); m {
	case venues.MarginCross, venues.MarginIsolated: // the venue has the same values
		return m, nil
	}
	return "", payload.UnknownValue("margin mode", value)
}

func parseLiquidity(value string) venues.Liquidity {
	switch value {
	case "M":
		return venues.Maker
	case "T":
		return venues.Taker
	}
	return "" // liquidations have none
}
