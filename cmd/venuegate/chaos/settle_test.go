//go:build chaos

package chaos

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// settleMax bounds the time until every outcome is known: confirming absence takes
	// half a minute, and reconciliation runs every half minute.
	settleMax = 10 * time.Minute
	// settlePause is the pause between two checks. The state must be settled and equal
	// in two checks, because a cancel-all may still be in progress.
	settlePause = 500 * time.Millisecond
)

// settle waits until every order is known and agrees with its venue, every signal is
// final, and every event was attempted. The checker reports what is not in time.
func (w *world) settle(within time.Duration) {
	w.t.Helper()
	w.settledAt = time.Time{}
	deadline := time.Now().Add(within)
	var before []orderView
	for time.Now().Before(deadline) {
		at := time.Now()
		orders := page[orderView](w, "/v1/orders", url.Values{"status": {"all"}, "limit": {"500"}})
		if w.ordersSettled(orders) && slices.Equal(orders, before) && w.signalsEnded() && w.eventsTried() {
			w.settledAt = at
			return
		}
		before = orders
		time.Sleep(settlePause)
	}
}

func (w *world) ordersSettled(orders []orderView) bool {
	w.t.Helper()
	rows, filled := indexLedger(w.sim.orders()), w.filled()
	return !slices.ContainsFunc(orders, func(o orderView) bool {
		there := rows.of(&o)
		return !forgotten(there, w.sim.lives) &&
			(!o.settled() || o.differs(there) != "" || !filled[o.OrderID].Equal(amount(o.FilledQty)))
	})
}

// filled sums the fills of each order, which may arrive after its quantity.
func (w *world) filled() map[string]decimal.Decimal {
	sums := map[string]decimal.Decimal{}
	type fillView struct {
		OrderID string `json:"orderId"`
		Qty     string `json:"qty"`
	}
	for _, f := range page[fillView](w, "/v1/fills", url.Values{"limit": {"500"}}) {
		sums[f.OrderID] = sums[f.OrderID].Add(amount(f.Qty))
	}
	return sums
}

// administered reads all pages of a list of the administration API.
func administered[T any](w *world, path string, query url.Values) []T {
	w.t.Helper()
	var all []T
	for {
		var list struct {
			Items      []T    `json:"items"`
			NextCursor string `json:"nextCursor"`
		}
		w.administer(http.MethodGet, "/admin/v1/"+path+"?"+query.Encode(), nil, &list)
		all = append(all, list.Items...)
		if list.NextCursor == "" {
			return all
		}
		query.Set("cursor", list.NextCursor)
	}
}

// administeredMax is the largest page size of the administration API.
const administeredMax = 1000

// signalsEnded reports whether each signal in the journal is final.
func (w *world) signalsEnded() bool {
	w.t.Helper()
	rows := func(kind string) int {
		return len(administered[persistence.JournalEntry](w, "journal", url.Values{
			"customer": {w.customer}, "kind": {kind}, "limit": {strconv.Itoa(administeredMax)},
		}))
	}
	return rows("signal.received") <= rows("signal.answer")+rows("signal.expired")
}

// eventsTried reports whether every queue has reached its end, including that of the
// demo's own receiver, whose address is outdated until the next start.
func (w *world) eventsTried() bool {
	w.t.Helper()
	last := map[persistence.EventType]persistence.Event{}
	for _, e := range page[persistence.Event](w, "/v1/events", url.Values{"limit": {"500"}}) {
		last[e.Type], last[""] = e, e
	}
	type endpointView struct {
		ID        string                  `json:"id"`
		Types     []persistence.EventType `json:"types"`
		CreatedAt venues.Time             `json:"createdAt"`
	}
	for _, e := range administered[endpointView](w, "endpoints", url.Values{"customer": {w.customer}}) {
		path := "endpoints/" + e.ID + "/deliveries"
		if len(administered[persistence.Delivery](w, path, url.Values{"status": {"pending"}})) > 0 {
			return false
		}
		newest := last[""]
		if len(e.Types) > 0 {
			newest = last[e.Types[0]]
		}
		if newest.CreatedAt.Before(e.CreatedAt.Time) {
			continue // there is none, or the endpoint was made after it, at the last start
		}
		if len(administered[persistence.Delivery](w, path, url.Values{"eventId": {newest.ID}})) == 0 {
			return false
		}
	}
	return true
}
