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
)

const (
	// settleMax is how long the service may take to find out what became of every
	// order: the proof of absence takes half a minute, a comparison with the venue
	// comes every half minute.
	settleMax = 10 * time.Minute
	// settlePause between two looks. What is settled must be so twice, with
	// nothing changed: somebody's cancel-all may still be at work.
	settlePause = 500 * time.Millisecond
)

// settle waits until every order is known and as its venue has it, every signal
// has ended, and every event was tried. What is not so in time the checker tells.
func (w *world) settle(within time.Duration) {
	w.t.Helper()
	deadline := time.Now().Add(within)
	var before []orderView
	for time.Now().Before(deadline) {
		orders := page[orderView](w, "/v1/orders", url.Values{"status": {"all"}, "limit": {"500"}})
		if w.ordersSettled(orders) && slices.Equal(orders, before) && w.signalsEnded() && w.eventsTried() {
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

// filled sums up the fills of each order: they may come after its quantity.
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

// administered reads all pages of a list of the administration.
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

// administeredMax is the longest page of the administration.
const administeredMax = 1000

// signalsEnded says whether each signal that the journal knows of has an end there.
func (w *world) signalsEnded() bool {
	w.t.Helper()
	rows := func(kind string) int {
		return len(administered[persistence.JournalEntry](w, "journal", url.Values{
			"customer": {w.customer}, "kind": {kind}, "limit": {strconv.Itoa(administeredMax)},
		}))
	}
	return rows("signal.received") <= rows("signal.answer")+rows("signal.expired")
}

// eventsTried says whether every queue has come to its end, that of the demo's own
// receiver included: until a start has told it where that listens now, it is tried in
// vain.
func (w *world) eventsTried() bool {
	w.t.Helper()
	last := map[persistence.EventType]string{}
	for _, e := range page[persistence.Event](w, "/v1/events", url.Values{"limit": {"500"}}) {
		last[e.Type], last[""] = e.ID, e.ID
	}
	type endpointView struct {
		ID    string                  `json:"id"`
		Types []persistence.EventType `json:"types"`
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
		if newest != "" && len(administered[persistence.Delivery](w, path, url.Values{"eventId": {newest}})) == 0 {
			return false
		}
	}
	return true
}
