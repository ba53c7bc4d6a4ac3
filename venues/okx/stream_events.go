package okx

import (
	"encoding/json"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// push decodes one push of a private channel and passes its content to the sink.
func (f *privateFeed) push(m privateMessage, now time.Time) error {
	switch m.Arg.Channel {
	case channelOrders:
		f.session.NoteOrderEvent(now)
		return eachRow(m.Data, f.order)
	case channelAlgos:
		f.session.NoteOrderEvent(now)
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

// eachRow decodes rows one by one, so that one malformed row does not suppress the
// others.
func eachRow[T any](data json.RawMessage, report func(*T) error) error {
	var rows []json.RawMessage
	if err := payload.Decode(data, &rows); err != nil {
		return err
	}
	var first error
	for _, row := range rows {
		record := new(T)
		err := payload.Decode(row, record)
		if err == nil {
			err = report(record)
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func (f *privateFeed) order(row *orderRecord) error {
	k, err := f.account.c.cachedByVenueSymbol(row.InstID)
	if err != nil || k == nil {
		return err
	}
	report, err := decodeOrderEvent(row, k)
	if err == nil {
		f.sink.Report(report)
	}
	return err
}

// decodeOrderEvent decodes a row of the channel orders, with its execution.
func decodeOrderEvent(row *orderRecord, k *instrument) (venues.ExecutionReport, error) {
	report, err := row.report(k)
	if err != nil {
		return report, err
	}
	report.Fill, err = row.fill(k, &report)
	return report, err
}

// unsupportedAlgos are the kinds of algo order that this service does not trade.
var unsupportedAlgos = []string{"chase", "iceberg", "twap", "smart_iceberg"}

// algo reports a stop, except an effective one, that is, one that has triggered. From then on
// its child order is reported on the channel orders, and that may happen first: the event of
// the effective stop would then set the order back to an older state. An effective OCO is
// reported all the same, because only its event contains which trigger was reached.
func (f *privateFeed) algo(row *algoRecord) error {
	k, err := f.account.c.cachedByVenueSymbol(row.InstID)
	if err != nil || k == nil {
		return err
	}
	if slices.Contains(unsupportedAlgos, row.OrdType) {
		return nil
	}
	report, err := row.report(k)
	effective := row.State == algoEffective || row.State == algoPartlyEffective
	if err != nil || (effective && row.OrdType != algoOCO) {
		return err
	}
	f.sink.Report(report)
	return nil
}
