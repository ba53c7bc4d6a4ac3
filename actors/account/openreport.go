package account

import (
	"context"
	"maps"

	"venuegate/actors"
	"venuegate/venues"
)

// reportedUnknownMax bounds the orders of unknown outcome in a report.
const reportedUnknownMax = 100

type (
	getOpenReport struct {
		actors.Reply[venues.OpenOrdersReport]
	}
	replyOpenReport = reply[venues.OpenOrdersReport]
)

// OpenReport returns how many orders are open, and those of unknown outcome. Both are known
// here: the venue is not asked.
func (c Client) OpenReport(ctx context.Context) (venues.OpenOrdersReport, error) {
	report, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.OpenOrdersReport]) any { return getOpenReport{reply} })
	return report, c.readError(err)
}

func (s *state) getOpenReport(in getOpenReport) {
	if !s.isLoaded {
		s.after(replyOpenReport{to: in.Reply, err: maintenance(s.exchange)})
		return
	}
	report := venues.OpenOrdersReport{Open: s.unfinishedCount(), Unknown: len(s.unknown)}
	for _, o := range oldestFirst(maps.Values(s.unknown)) {
		if len(report.Oldest) == reportedUnknownMax {
			break
		}
		report.Oldest = append(report.Oldest, venues.UnknownOrder{
			OrderID: o.OrderID, Exchange: o.Exchange, Symbol: o.Symbol, Side: o.Side, Qty: o.Qty, Since: o.UnknownSince,
		})
	}
	s.after(replyOpenReport{to: in.Reply, value: report})
}
