package bybit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// privateEvent is a message of the private stream, or an answer if it has no topic.
type privateEvent struct {
	notice
	Topic string          `json:"topic"`
	Data  json.RawMessage `json:"data"`
}

// handle decodes one message and passes its content to the sink.
func (f *privateFeed) handle(message []byte, now time.Time) error {
	var e privateEvent
	if err := payload.Decode(message, &e); err != nil {
		return fmt.Errorf("parse message: %w", err)
	}
	if e.Topic == "" {
		f.answered(&e.notice)
		return nil
	}
	f.session.NoteOrderEvent(now)
	topic, _, _ := strings.Cut(e.Topic, ".") // "order.linear" means order too
	var err error
	switch topic {
	case topicOrder:
		err = f.orders(e.Data, now)
	case topicExecution:
		err = f.executions(e.Data, now)
	case topicPosition:
		err = f.positions(e.Data)
	case topicWallet:
		f.sink.BalancesChanged()
	default:
		f.log.Info("private stream: event of an unknown kind", zap.String("topic", payload.Bounded(e.Topic)))
	}
	if err != nil {
		return fmt.Errorf("topic %s: %w", payload.Bounded(e.Topic), err)
	}
	return nil
}

// answered handles the confirmation of the subscription. Pongs need no handling.
func (f *privateFeed) answered(n *notice) {
	switch {
	case n.Op != "subscribe":
	case !n.Success:
		f.connection.GiveUp(fmt.Errorf("%w: %s", errRejected, payload.Bounded(n.RetMsg)))
	default:
		f.connection.Ready()
	}
}

func (f *privateFeed) report(reports []venues.ExecutionReport) {
	for n := range reports {
		f.sink.Report(reports[n])
	}
}

// isUnsupported reports whether an entry is about another product of the account.
func isUnsupported(entryCategory string) (bool, error) {
	switch entryCategory {
	case "", category:
		return false, nil
	case "spot", "inverse", "option":
		return true, nil
	}
	return false, payload.UnknownValue("category", entryCategory)
}

// orders reports orders, each with the execution that has waited for it.
func (f *privateFeed) orders(data []byte, now time.Time) error {
	var rows []orderRecord
	if err := payload.Decode(data, &rows); err != nil {
		return err
	}
	var failures error
	for n := range rows {
		failures = errors.Join(failures, f.order(&rows[n], now))
	}
	return failures
}

func (f *privateFeed) order(row *orderRecord, now time.Time) error {
	if unsupported, err := isUnsupported(row.Category); unsupported || err != nil {
		return err
	}
	report, err := row.report()
	if err == nil {
		f.report(f.join.order(report, now))
	}
	return err
}

// executions reports fills, or keeps them for the messages of their orders.
func (f *privateFeed) executions(data []byte, now time.Time) error {
	var rows []executionRecord
	if err := payload.Decode(data, &rows); err != nil {
		return err
	}
	var failures error
	for n := range rows {
		failures = errors.Join(failures, f.execution(&rows[n], now))
	}
	return failures
}

func (f *privateFeed) execution(row *executionRecord, now time.Time) error {
	if unsupported, err := isUnsupported(row.Category); unsupported || err != nil {
		return err
	}
	if !row.isFill() || row.OrderID == "" && row.ExecType != execTrade {
		return nil // executions without an order are reported by position and wallet
	}
	report, err := row.report(f.account.knownHedge(canonicalSymbol(row.Symbol)))
	if err == nil {
		f.report(f.join.execution(report, row.completes(), now))
	}
	return err
}

// completes reports whether the execution leaves nothing of the order.
func (r *executionRecord) completes() bool {
	return r.LeavesQty.Valid && !r.LeavesQty.Decimal.IsPositive()
}

// report returns the report of an execution. The end of the order is left to the order's
// own message.
func (r *executionRecord) report(hedge bool) (venues.ExecutionReport, error) {
	fill, err := r.fill(hedge)
	orderType, errType := parseType(r.OrderType, r.StopOrderType)
	if r.OrderType == "UNKNOWN" && r.ExecType != execTrade {
		orderType, errType = venues.TypeMarket, nil // created by the venue itself
	}
	if err := errors.Join(err, errType); err != nil {
		return venues.ExecutionReport{}, err
	}
	report := venues.ExecutionReport{
		Symbol: fill.Symbol, ClientOrderID: r.OrderLinkID, VenueOrderID: r.OrderID,
		Side: fill.Side, Type: orderType, Status: venues.StatusPartiallyFilled,
		Qty: r.OrderQty.Decimal, FilledQty: r.OrderQty.Decimal.Sub(r.LeavesQty.Decimal),
		Fill: &fill, Forced: isForcedExecution(r.CreateType, r.ExecType), VenueTime: fill.ExecutedAt.Time,
	}
	if !orderType.IsMarket() {
		report.Price = r.OrderPrice.Positive()
	}
	if report.FilledQty.LessThan(fill.Qty) || !r.LeavesQty.Valid {
		report.FilledQty = fill.Qty
	}
	if report.Qty.LessThan(report.FilledQty) {
		report.Qty = report.FilledQty // forced orders have none
	}
	return report, nil
}

// positions reports positions, and for one-way ones also which side is closed.
func (f *privateFeed) positions(data []byte) error {
	var rows []positionRecord
	if err := payload.Decode(data, &rows); err != nil {
		return err
	}
	mode := accountMode{AccountMode: venues.AccountMode{AccountType: accountUnified}}
	if known := f.account.mode.Load(); known != nil {
		mode = *known
	}
	for n := range rows {
		unsupported, err := isUnsupported(rows[n].Category)
		if err != nil {
			return err
		}
		if unsupported {
			continue
		}
		posSide, position, err := rows[n].position(mode)
		if err != nil {
			return err
		}
		f.account.modes.set(position.Symbol, posSide != "")
		if f.account.mode.Load() == nil {
			position.MarginMode = "" // unknown before the account's mode is known
		}
		for _, state := range f.account.positions.Update(position, posSide == "") {
			f.sink.Position(state)
		}
	}
	return nil
}
