package binance

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// handle decodes one private event and passes its content to the sink.
func (f *privateFeed) handle(message []byte) error {
	o, err := payload.Parse(&f.parser, message)
	if err != nil {
		return err
	}
	if o.Has("stream") && o.Has("data") { // wrapped form
		if o = o.Object("data"); o.Err() != nil {
			return o.Err()
		}
	}
	kind := o.OptionalText("e")
	if kind != "" {
		f.session.NoteOrderEvent(time.Now())
	}
	switch kind {
	case "ORDER_TRADE_UPDATE":
		err = f.order(o)
	case "ALGO_UPDATE":
		err = f.algo(o)
	case "ACCOUNT_UPDATE":
		err = f.accountUpdate(o)
	case "ACCOUNT_CONFIG_UPDATE":
		err = f.configUpdate(o)
	case "MARGIN_CALL":
		f.log.Warn("private stream: margin call")
		f.sink.BalancesChanged()
	case "listenKeyExpired":
		f.connection.GiveUp(errListenKeyExpired)
	case "CONDITIONAL_ORDER_TRIGGER_REJECT":
		// The order's own event reports its end; this one only has the reason.
		f.log.Warn("private stream: stop rejected at its trigger", zap.String("reason", payload.Bounded(o.Object("or").OptionalText("r"))))
	case "TRADE_LITE", "STRATEGY_UPDATE", "GRID_UPDATE":
		// TRADE_LITE is a short form of a fill in ORDER_TRADE_UPDATE.
	case "":
		f.notice(o, message)
	default:
		f.log.Info("private stream: event of an unknown kind", zap.String("event", payload.Bounded(kind)))
	}
	if err != nil {
		return fmt.Errorf("event %s: %w", payload.Bounded(kind), err)
	}
	return nil
}

// notice handles messages without an event name, which are control messages.
func (f *privateFeed) notice(o *payload.Object, message []byte) {
	switch {
	case o.Has("event") && o.Object("event").OptionalText("e") == "serverShutdown":
		f.connection.Renew()
	case o.Has("error"), o.Has("code"):
		f.log.Warn("private stream: error", zap.String("message", payload.Bounded(string(message))))
	}
}

func (f *privateFeed) order(o *payload.Object) error {
	report, err := decodeOrderEvent(o)
	if err == nil {
		f.sink.Report(report)
	}
	return err
}

// decodeOrderEvent decodes an ORDER_TRADE_UPDATE. The engine order of a triggered stop is
// reported as the stop: it has the same client id.
func decodeOrderEvent(event *payload.Object) (venues.ExecutionReport, error) {
	o := event.Object("o")
	enums := orderEnums{
		orderType: o.Text("o"), origType: o.OptionalText("ot"), timeInForce: o.OptionalText("f"),
		execution: o.Text("x"), status: o.Text("X"), expiry: o.OptionalText("er"),
		triggered: strings.HasPrefix(o.OptionalText("st"), "ALGO") && o.Integer("si") > 0,
	}
	side, errSide := parseSide(o.Text("S"))
	posSide, errPosSide := parseOrderPositionSide(o.OptionalText("ps"))
	report := venues.ExecutionReport{
		Symbol: symbolOf(o), ClientOrderID: requiredID(o, "c"), VenueOrderID: o.ID("i"),
		Side: side, Qty: o.Decimal("q"), FilledQty: o.Decimal("z"),
		Price: o.OptionalPositive("p"), TriggerPrice: o.OptionalPositive("sp"), AvgPrice: o.OptionalPositive("ap"),
		ReduceOnly: connector.IsReduceOnly(posSide, side, o.Flag("R") || o.Flag("cp")),
		VenueTime:  event.Time("T"),
	}
	report.TimeInForce, report.PostOnly = parseTimeInForce(enums.timeInForce)
	if enums.triggered {
		report.ParentID = o.ID("si")
	}
	report.Forced = isForced(report.ClientOrderID, enums.orderType) || enums.execution == "CALCULATED"
	if o.Err() != nil {
		return report, o.Err()
	}
	if err := errors.Join(errSide, errPosSide, enums.apply(&report)); err != nil {
		return report, err
	}
	fill, err := decodeFill(o, &report, enums.execution)
	if fill != nil {
		fill.PositionSide = posSide
	}
	report.Fill = fill
	return report, errors.Join(err, event.Err())
}

// symbolOf returns the symbol of an event, which must be valid.
func symbolOf(o *payload.Object) string {
	symbol := canonicalSymbol(o.Text("s"))
	if o.Err() == nil && symbol == "" {
		o.Fail("s", payload.ErrMissing)
	}
	return symbol
}

// requiredID returns an id that must not be empty.
func requiredID(o *payload.Object, field string) string {
	name := o.Text(field)
	if o.Err() == nil && name == "" {
		o.Fail(field, payload.ErrMissing)
	}
	return name
}

// orderEnums are the values of an order event that together decide its meaning.
type orderEnums struct {
	orderType, origType, timeInForce string
	execution, status, expiry        string
	triggered                        bool
}

// apply sets the fields that follow from the values.
func (e orderEnums) apply(r *venues.ExecutionReport) error {
	orderType, untriggered, errType := parseTypes(e.orderType, e.origType)
	status, errStatus := parseStatus(e.status, untriggered, endsAtOnce(e.orderType, e.timeInForce))
	if err := errors.Join(errType, errStatus); err != nil {
		return err
	}
	switch e.execution {
	case "NEW", "CANCELED", "CALCULATED", "EXPIRED", "TRADE", "AMENDMENT", "REJECTED":
	default:
		return payload.UnknownValue("execution type", e.execution)
	}
	if e.triggered {
		orderType = connector.StopType(orderType)
	}
	r.Type, r.Status = orderType, status
	r.RejectReason = endReason(r, e.orderType, e.timeInForce, e.expiry)
	return nil
}

// decodeFill decodes the execution in an order event; nil if it has none, or none with an
// id, which is then found by reading the fills.
func decodeFill(o *payload.Object, r *venues.ExecutionReport, execution string) (*venues.Fill, error) {
	if execution != "TRADE" && execution != "CALCULATED" {
		return nil, nil
	}
	if o.Integer("t") <= 0 {
		return nil, o.Err()
	}
	fill := &venues.Fill{
		Exchange: venues.Binance, Symbol: r.Symbol, Side: r.Side,
		Qty: o.PositiveDecimal("l"), Price: o.PositiveDecimal("L"),
		Fee: o.Optional("n"), FeeCurrency: o.OptionalText("N"),
		Liquidity: liquidity(o.Flag("m")), RealizedPnl: o.Optional("rp"),
		VenueTradeID: o.ID("t"), VenueOrderID: r.VenueOrderID,
		ExecutedAt: venues.At(o.Time("T")),
	}
	return fill, o.Err()
}

func (f *privateFeed) algo(o *payload.Object) error {
	report, relevant, err := decodeAlgoEvent(o)
	if err == nil && relevant {
		f.sink.Report(report)
	}
	return err
}

// decodeAlgoEvent decodes an ALGO_UPDATE. After the trigger the engine order's own events
// report the state, some of them before TRIGGERED arrives. Of the later statuses only a
// complete fill is reported, as a redundant source.
func decodeAlgoEvent(event *payload.Object) (report venues.ExecutionReport, relevant bool, err error) {
	o := event.Object("o")
	algoStatus := o.Text("X")
	side, errSide := parseSide(o.Text("S"))
	orderType, errType := parseType(o.Text("o"))
	posSide, errPosSide := parseOrderPositionSide(o.OptionalText("ps"))
	report = venues.ExecutionReport{
		Symbol: symbolOf(o), ClientOrderID: requiredID(o, "caid"), VenueOrderID: o.ID("aid"), ConditionalID: true,
		Side: side, Type: orderType,
		Qty: o.Optional("q").Decimal, FilledQty: o.Optional("aq").Decimal,
		Price: o.OptionalPositive("p"), TriggerPrice: o.OptionalPositive("tp"), AvgPrice: o.OptionalPositive("ap"),
		ReduceOnly: connector.IsReduceOnly(posSide, side, o.Flag("R") || o.Flag("cp")),
		VenueTime:  event.Time("T"),
	}
	report.TimeInForce, report.PostOnly = parseTimeInForce(o.OptionalText("f"))
	status, errStatus := parseAlgoStatus(algoStatus, report.FilledQty, report.Qty)
	if o.Err() == nil && !o.Optional("q").Valid && !o.Flag("cp") {
		o.Fail("q", payload.ErrMissing)
	}
	if err := errors.Join(o.Err(), errSide, errType, errPosSide, errStatus); err != nil {
		return report, false, err
	}
	report.Status = status
	if id := o.OptionalText("ai"); id != "" && id != "0" {
		report.VenueOrderID, report.ConditionalID, report.ParentID = id, false, report.VenueOrderID
	}
	switch algoStatus {
	case "TRIGGERING", "TRIGGERED":
		return report, false, nil
	case "FINISHED":
		return report, status == venues.StatusFilled, nil
	case "REJECTED":
		report.RejectReason = triggerReason(o.OptionalText("rm"))
	}
	return report, true, o.Err()
}

// accountUpdate reports positions and changed balances.
func (f *privateFeed) accountUpdate(event *payload.Object) error {
	body := event.Object("a")
	if body.Err() != nil {
		return body.Err()
	}
	at := venues.At(event.Time("T"))
	for _, row := range body.OptionalList("P") {
		posSide, position, err := decodePosition(row)
		if err != nil {
			return err
		}
		position.UpdatedAt = at
		position.AccountType = f.account.mode.AccountType()
		position.Leverage = f.account.leverages.of(position.Symbol)
		for _, state := range f.account.positions.Update(position, posSide == "") {
			f.sink.Position(state)
		}
	}
	if len(body.OptionalList("B")) > 0 {
		f.sink.BalancesChanged()
	}
	return errors.Join(body.Err(), event.Err())
}

// decodePosition decodes an entry of P. Side is that of an open position. Leverage, mark
// price and liquidation price are not part of it.
func decodePosition(row *payload.Object) (venues.PositionSide, venues.Position, error) {
	posSide, errPosSide := parsePositionSide(row.Text("ps"))
	amount := row.Decimal("pa")
	position := venues.Position{
		Exchange: venues.Binance, Symbol: symbolOf(row),
		Side: connector.SideOf(posSide, amount), Qty: amount.Abs(),
		EntryPrice: row.OptionalPositive("ep"), UnrealizedPnl: row.Optional("up"),
	}
	if marginType := row.OptionalText("mt"); marginType != "" {
		mode, err := parseMarginMode(marginType)
		if err != nil {
			return posSide, position, err
		}
		position.MarginMode = mode
	}
	return posSide, position, errors.Join(row.Err(), errPosSide)
}

// configUpdate reports changed leverage or margin pool: both change the available
// balance.
func (f *privateFeed) configUpdate(o *payload.Object) error {
	if o.Has("ai") {
		pool := o.Object("ai")
		f.account.setMultiAssets(pool.Flag("j"))
		if err := pool.Err(); err != nil {
			o.Fail("ai", err)
		}
	}
	if o.Has("ac") {
		changed := o.Object("ac")
		symbol, leverage := canonicalSymbol(changed.Text("s")), venues.SomePositive(decimal.NewFromInt(changed.Integer("l")))
		if err := changed.Err(); err != nil {
			o.Fail("ac", err)
		} else {
			f.account.leverages.set(symbol, leverage)
		}
	}
	f.sink.BalancesChanged()
	return o.Err()
}
