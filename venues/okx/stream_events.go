package okx

import (
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// push decodes one push of a private channel and tells the sink of it.
func (f *privateFeed) push(m privateMessage, now time.Time) error {
	switch m.Arg.Channel {
	case channelOrders:
		f.session.Heard(now)
		return eachRow(m.Data, f.order)
	case channelAlgos:
		f.session.Heard(now)
		return eachRow(m.Data, f.algo)
	case channelPositions:
		return f.positions(m)
	case channelAccount:
		f.sink.BalancesChanged()
	default:
		f.log.Info("private stream: push of an unknown channel", zap.String("channel", payload.Bounded(m.Arg.Channel)))
	}
	return nil
}

// eachRow decodes rows one by one: what one has wrong must not silence the others.
func eachRow[T any](data json.RawMessage, tell func(*T) error) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	var first error
	for _, row := range rows {
		record := new(T)
		err := json.Unmarshal(row, record)
		if err == nil {
			err = tell(record)
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func (f *privateFeed) order(row *orderRecord) error {
	k, err := f.account.c.knownName(row.InstID)
	if err != nil || k == nil {
		return err
	}
	report, err := decodeOrderEvent(row, k)
	if err == nil {
		f.sink.Report(report)
	}
	return err
}

// decodeOrderEvent reads a row of the channel orders, with the execution that it
// tells of.
func decodeOrderEvent(row *orderRecord, k *contract) (venues.ExecutionReport, error) {
	report, err := row.report(k)
	if err != nil {
		return report, err
	}
	report.Fill, err = row.fill(k, &report)
	return report, err
}

// algo tells of a stop. From the trigger on the events of its child tell the
// state, some of them before the stop itself says that it is in effect; which of
// two triggers was reached only the stop tells.
func (f *privateFeed) algo(row *algoRecord) error {
	k, err := f.account.c.knownName(row.InstID)
	if err != nil || k == nil {
		return err
	}
	switch row.OrdType {
	case algoConditional, algoOCO, algoTrigger, algoTrailing:
	default:
		return nil // kinds that this service does not trade
	}
	report, err := row.report(k)
	inEffect := row.State == algoEffective || row.State == algoPartlyEffective
	if err != nil || (inEffect && row.OrdType != algoOCO) {
		return err
	}
	f.sink.Report(report)
	return nil
}

// Event types of the channel positions.
const positionsSnapshot = "snapshot"

// positions tells the new states. A snapshot comes in pages; what it does not name
// is closed.
func (f *privateFeed) positions(m privateMessage) error {
	whole := m.EventType == positionsSnapshot && m.LastPage != nil
	if whole && m.CurPage <= 1 {
		f.pages = nil
	}
	err := eachRow(m.Data, func(row *positionRecord) error {
		k, err := f.account.c.knownName(row.InstID)
		if err != nil || k == nil {
			return err
		}
		p, book, err := row.position(k)
		if err != nil {
			return err
		}
		p.AccountType = f.account.accountType()
		if whole {
			if p.Qty.IsPositive() {
				f.pages = append(f.pages, p)
			}
			return nil
		}
		f.tell(f.account.positions.update(p, book))
		return nil
	})
	if err != nil || !whole || !*m.LastPage {
		return err
	}
	open := f.pages
	f.pages = nil
	f.tell(f.account.positions.replace(open))
	f.tell(open)
	return nil
}

func (f *privateFeed) tell(positions []venues.Position) {
	for _, p := range positions {
		f.sink.Position(p)
	}
}
