package okx

import (
	"encoding/json"
	"slices"
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
		if m.LastPage == nil || *m.LastPage {
			f.sink.BalancesChanged()
		}
	default:
		f.log.Info("private stream: push of an unknown channel", zap.String("channel", payload.Bounded(m.Arg.Channel)))
	}
	return nil
}

// eachRow decodes rows one by one: what one has wrong must not silence the others.
func eachRow[T any](data json.RawMessage, tell func(*T) error) error {
	var rows []json.RawMessage
	if err := payload.Decode(data, &rows); err != nil {
		return err
	}
	var first error
	for _, row := range rows {
		record := new(T)
		err := payload.Decode(row, record)
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

// foreignAlgos are the kinds of algo order that this service does not trade.
var foreignAlgos = []string{"chase", "iceberg", "twap", "smart_iceberg"}

// algo tells of a stop. From the trigger on the events of its child tell the
// state, some of them before the stop itself says that it is in effect; which of
// two triggers was reached only the stop tells.
func (f *privateFeed) algo(row *algoRecord) error {
	k, err := f.account.c.knownName(row.InstID)
	if err != nil || k == nil {
		return err
	}
	if slices.Contains(foreignAlgos, row.OrdType) {
		return nil
	}
	report, err := row.report(k)
	inEffect := row.State == algoEffective || row.State == algoPartlyEffective
	if err != nil || (inEffect && row.OrdType != algoOCO) {
		return err
	}
	f.sink.Report(report)
	return nil
}
