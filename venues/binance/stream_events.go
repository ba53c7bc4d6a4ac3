package binance

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

// handle decodes one private event and tells the sink of it.
func (f *privateFeed) handle(message []byte) error {
	o, err := parseEvent(&f.parser, message)
	if err != nil {
		return err
	}
	if o.has("stream") && o.has("data") { // wrapped form
		if o = o.object("data"); o.err != nil {
			return o.err
		}
	}
	kind := o.optionalText("e")
	if kind != "" {
		f.heardAt.Store(time.Now().UnixNano())
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
		f.link.Reconnect(errListenKeyExpired)
	case "CONDITIONAL_ORDER_TRIGGER_REJECT":
		// The order's own event tells its end; this one only says why.
		f.log.Warn("private stream: stop rejected at its trigger", zap.String("reason", bounded(o.object("or").optionalText("r"))))
	case "TRADE_LITE", "STRATEGY_UPDATE", "GRID_UPDATE":
		// TRADE_LITE repeats a fill that ORDER_TRADE_UPDATE tells in full.
	case "":
		f.notice(o, message)
	default:
		f.log.Info("private stream: event of an unknown kind", zap.String("event", bounded(kind)))
	}
	if err != nil {
		return fmt.Errorf("event %s: %w", bounded(kind), err)
	}
	return nil
}

// notice handles what has no event name: control messages.
func (f *privateFeed) notice(o *event, message []byte) {
	switch {
	case o.has("event") && o.object("event").optionalText("e") == "serverShutdown":
		f.link.Renew()
	case o.has("error"), o.has("code"):
		f.log.Warn("private stream: refusal", zap.String("message", bounded(string(message))))
	}
}

func (f *privateFeed) order(o *event) error {
	report, err := decodeOrderEvent(o)
	if err == nil {
		f.sink.Report(report)
	}
	return err
}

// decodeOrderEvent reads an ORDER_TRADE_UPDATE. The engine order of a triggered
// stop is told as the stop: its client id is the same.
func decodeOrderEvent(event *event) (venues.ExecutionReport, error) {
	o := event.object("o")
	word := orderWords{
		orderType: o.text("o"), origType: o.optionalText("ot"), timeInForce: o.optionalText("f"),
		execution: o.text("x"), status: o.text("X"), expiry: o.optionalText("er"),
		triggered: strings.HasPrefix(o.optionalText("st"), "ALGO") && o.integer("si") > 0,
	}
	side, errSide := parseSide(o.text("S"))
	book, errBook := parseOrderBook(o.optionalText("ps"))
	report := venues.ExecutionReport{
		Symbol: canonicalSymbol(o.text("s")), ClientOrderID: o.text("c"), VenueOrderID: o.id("i"),
		Side: side, Qty: o.decimal("q"), FilledQty: o.decimal("z"),
		Price: o.positive("p"), TriggerPrice: o.positive("sp"), AvgPrice: o.positive("ap"),
		ReduceOnly: book.reduces(side, o.flag("R") || o.flag("cp")),
		VenueTime:  event.time("T"),
	}
	report.TimeInForce, report.PostOnly = parseTimeInForce(word.timeInForce)
	if word.triggered {
		report.ParentID = o.id("si")
	}
	report.Forced = isForced(report.ClientOrderID, word.orderType) || word.execution == "CALCULATED"
	if o.err != nil {
		return report, o.err
	}
	if err := errors.Join(errSide, errBook, word.apply(&report)); err != nil {
		return report, err
	}
	fill, err := decodeFill(o, &report, word.execution)
	if fill != nil {
		fill.PositionSide = book.hedged()
	}
	report.Fill = fill
	return report, errors.Join(err, event.err)
}

// orderWords are the words of an order event that together say what it means.
type orderWords struct {
	orderType, origType, timeInForce string
	execution, status, expiry        string
	triggered                        bool
}

// apply sets what follows from the words.
func (w orderWords) apply(r *venues.ExecutionReport) error {
	orderType, waiting, errType := parseTypes(w.orderType, w.origType)
	status, errStatus := parseStatus(w.status, waiting, endsAtOnce(w.orderType, w.timeInForce))
	if err := errors.Join(errType, errStatus); err != nil {
		return err
	}
	switch w.execution {
	case "NEW", "CANCELED", "CALCULATED", "EXPIRED", "TRADE", "AMENDMENT", "REJECTED":
	default:
		return unknownWord("execution type", w.execution)
	}
	if w.triggered {
		orderType = asStop(orderType)
	}
	r.Type, r.Status = orderType, status
	r.Fault = endFault(r, w.orderType, w.timeInForce, w.expiry)
	return nil
}

// asStop is the type of the stop that became an order of type t.
func asStop(t venues.OrderType) venues.OrderType {
	if t.IsMarket() {
		return venues.TypeStopMarket
	}
	return venues.TypeStopLimit
}

// decodeFill reads the execution that an order event carries; nil if it has none
// or none with an id, which reading the fills will bring.
func decodeFill(o *event, r *venues.ExecutionReport, execution string) (*venues.Fill, error) {
	if execution != "TRADE" && execution != "CALCULATED" {
		return nil, nil
	}
	if o.integer("t") <= 0 {
		return nil, o.err
	}
	fill := &venues.Fill{
		Exchange: venues.Binance, Symbol: r.Symbol, Side: r.Side,
		Qty: o.decimal("l"), Price: o.decimal("L"),
		Fee: o.optional("n"), FeeCurrency: o.optionalText("N"),
		Liquidity: liquidity(o.flag("m")), RealizedPnl: o.optional("rp"),
		VenueTradeID: o.id("t"), VenueOrderID: r.VenueOrderID,
		ExecutedAt: venues.At(o.time("T")),
	}
	if o.err == nil && (!fill.Qty.IsPositive() || !fill.Price.IsPositive()) {
		o.fail("l or L", errMissing)
	}
	return fill, o.err
}

func (f *privateFeed) algo(o *event) error {
	report, tell, err := decodeAlgoEvent(o)
	if err == nil && tell {
		f.sink.Report(report)
	}
	return err
}

// decodeAlgoEvent reads an ALGO_UPDATE. From the trigger on the engine order's
// own events tell the state, some of them before TRIGGERED arrives: of the later
// statuses only a complete fill is told, as a second witness.
func decodeAlgoEvent(event *event) (report venues.ExecutionReport, tell bool, err error) {
	o := event.object("o")
	word := o.text("X")
	side, errSide := parseSide(o.text("S"))
	orderType, errType := parseType(o.text("o"))
	book, errBook := parseOrderBook(o.optionalText("ps"))
	report = venues.ExecutionReport{
		Symbol: canonicalSymbol(o.text("s")), ClientOrderID: o.text("caid"), VenueOrderID: o.id("aid"), ConditionalID: true,
		Side: side, Type: orderType,
		Qty: o.optional("q").Decimal, FilledQty: o.optional("aq").Decimal,
		Price: o.positive("p"), TriggerPrice: o.positive("tp"), AvgPrice: o.positive("ap"),
		ReduceOnly: book.reduces(side, o.flag("R") || o.flag("cp")),
		VenueTime:  event.time("T"),
	}
	report.TimeInForce, report.PostOnly = parseTimeInForce(o.optionalText("f"))
	status, errStatus := parseAlgoStatus(word, report.FilledQty, report.Qty)
	if o.err == nil && !o.has("q") && !o.flag("cp") {
		o.fail("q", errMissing)
	}
	if err := errors.Join(o.err, errSide, errType, errBook, errStatus); err != nil {
		return report, false, err
	}
	report.Status = status
	if id := o.optionalText("ai"); id != "" && id != "0" {
		report.VenueOrderID, report.ConditionalID, report.ParentID = id, false, report.VenueOrderID
	}
	switch word {
	case "TRIGGERING", "TRIGGERED":
		return report, false, nil
	case "FINISHED":
		return report, status == venues.StatusFilled, nil
	case "REJECTED":
		report.Fault = marginFault(o.optionalText("rm"))
	}
	return report, true, o.err
}

// accountUpdate tells of positions and that balances moved.
func (f *privateFeed) accountUpdate(event *event) error {
	body := event.object("a")
	if body.err != nil {
		return body.err
	}
	at := venues.At(event.time("T"))
	for _, row := range body.list("P") {
		book, position, err := decodePosition(row)
		if err != nil {
			return err
		}
		position.UpdatedAt = at
		position.AccountType = f.account.accountType()
		f.tellPosition(book, position, row)
	}
	if len(body.list("B")) > 0 {
		f.sink.BalancesChanged()
	}
	return errors.Join(body.err, event.err)
}

// decodePosition reads an entry of P; its Side is that of a position that is
// open. Leverage and liquidation price are not told.
func decodePosition(row *event) (positionBook, venues.Position, error) {
	book, errBook := parsePositionBook(row.text("ps"))
	amount := row.decimal("pa")
	position := venues.Position{
		Exchange: venues.Binance, Symbol: canonicalSymbol(row.text("s")),
		Side: book.sideOf(amount), Qty: amount.Abs(),
		EntryPrice: row.positive("ep"), UnrealizedPnl: row.optional("up"),
	}
	if word := row.optionalText("mt"); word != "" {
		mode, err := parseMarginMode(word)
		if err != nil {
			return book, position, err
		}
		position.MarginMode = mode
	}
	return book, position, errors.Join(row.err, errBook)
}

// tellPosition tells the new state, and in one-way mode also which side is over.
func (f *privateFeed) tellPosition(book positionBook, p venues.Position, row *event) {
	if book == bookBoth {
		for _, side := range f.account.sides.ended(p.Symbol, row.decimal("pa")) {
			f.sink.Position(venues.Position{
				Exchange: p.Exchange, Symbol: p.Symbol, Side: side,
				AccountType: p.AccountType, MarginMode: p.MarginMode, UpdatedAt: p.UpdatedAt,
			})
		}
		if p.Qty.IsZero() {
			return
		}
	}
	f.sink.Position(p)
}

// configUpdate tells of changed leverage or margin pool: both move what is free.
func (f *privateFeed) configUpdate(o *event) error {
	if o.has("ai") {
		pool := o.object("ai")
		f.account.setMultiAssets(pool.flag("j"))
		o.err = pool.err
	}
	f.sink.BalancesChanged()
	return o.err
}
