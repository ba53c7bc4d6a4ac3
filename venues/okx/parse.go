package okx

import (
	"strconv"
	"time"

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

var sides = map[string]venues.Side{"buy": venues.Buy, "sell": venues.Sell}

func parseSide(value string) (venues.Side, error) { return payload.Enum("side", sides, value) }

// orderKind is the meaning of the venue's ordType.
type orderKind struct {
	orderType   venues.OrderType
	timeInForce venues.TimeInForce
	postOnly    bool
}

var orderKinds = map[string]orderKind{
	"market":            {venues.TypeMarket, "", false},
	"optimal_limit_ioc": {venues.TypeMarket, "", false},
	"limit":             {venues.TypeLimit, venues.GoodTillCancel, false},
	"mmp":               {venues.TypeLimit, venues.GoodTillCancel, false},
	"post_only":         {venues.TypeLimit, venues.GoodTillCancel, true},
	"rpi":               {venues.TypeLimit, venues.GoodTillCancel, true},
	"elp":               {venues.TypeLimit, venues.GoodTillCancel, true},
	"mmp_and_post_only": {venues.TypeLimit, venues.GoodTillCancel, true},
	"ioc":               {venues.TypeLimit, venues.ImmediateOrCancel, false},
	"fok":               {venues.TypeLimit, venues.FillOrKill, false},
}

func parseOrderKind(value string) (orderKind, error) {
	return payload.Enum("order type", orderKinds, value)
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

var orderStatuses = map[string]venues.OrderStatus{
	"live": venues.StatusOpen, "partially_filled": venues.StatusPartiallyFilled, "filled": venues.StatusFilled,
	"canceled": venues.StatusCancelled, "mmp_canceled": venues.StatusCancelled,
}

func parseStatus(value string) (venues.OrderStatus, error) {
	return payload.Enum("order state", orderStatuses, value)
}

// States of an algo order that has triggered or ended.
const (
	algoEffective       = "effective"
	algoPartlyEffective = "partially_effective"
	algoCanceled        = "canceled"
	algoFailed          = "order_failed"
	algoPartlyFailed    = "partially_failed"
)

// algoStatuses are the states of algo orders. Once one is effective, its child order has the
// exact status.
var algoStatuses = map[string]venues.OrderStatus{
	"live": venues.StatusUntriggered, "pause": venues.StatusUntriggered,
	algoEffective: venues.StatusOpen, algoPartlyEffective: venues.StatusOpen,
	algoCanceled: venues.StatusCancelled, algoFailed: venues.StatusRejected, algoPartlyFailed: venues.StatusRejected,
}

func parseAlgoStatus(value string) (venues.OrderStatus, error) {
	return payload.Enum("algo state", algoStatuses, value)
}

var positionSides = map[string]venues.PositionSide{"net": "", "": "", "long": venues.Long, "short": venues.Short}

// parsePositionSide parses posSide: the position of the instrument to which an order, an
// execution or a leverage belongs; empty in one-way mode (net). Accounts that cannot hold
// positions have "".
func parsePositionSide(value string) (venues.PositionSide, error) {
	return payload.Enum("position side", positionSides, value)
}

var marginModes = map[string]venues.MarginMode{"cross": venues.MarginCross, "isolated": venues.MarginIsolated}

func parseMarginMode(value string) (venues.MarginMode, error) {
	return payload.Enum("margin mode", marginModes, value)
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
