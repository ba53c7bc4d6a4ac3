//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// orderView is an order as REST returns it.
type orderView struct {
	OrderID       string       `json:"orderId"`
	RequestID     string       `json:"requestId"`
	Exchange      venues.Venue `json:"exchange"`
	Symbol        string       `json:"symbol"`
	Status        string       `json:"status"`
	PendingAction string       `json:"pendingAction"`
	Qty           string       `json:"qty"`
	FilledQty     string       `json:"filledQty"`
	VenueOrderID  string       `json:"venueOrderId"`
}

// settled reports whether nothing about the order is pending.
func (o *orderView) settled() bool {
	return o.Status != string(venues.StatusPending) && o.Status != string(venues.StatusUnknown) && o.PendingAction == ""
}

// truth is the final state of all four sources.
type truth struct {
	shown  []orderView
	events []persistence.Event
	orders []persistence.OrderRecord
	fills  map[string][]persistence.FillRecord
	// stored are the events of the store, events those of the API.
	stored  []persistence.Event
	journal []persistence.JournalEntry
	signals []persistence.SignalRecord
	// endpoints have their cursor and deliveries.
	endpoints  []persistence.Endpoint
	cursors    map[string]uint64
	deliveries map[string][]persistence.Delivery
	ledger     []simcore.LedgerOrder
	// lives counts the runs of the simulator, which loses the orders of earlier runs.
	lives []time.Time
	// settledAt is world.settledAt. Of newer events, such as those of an account that
	// reconnects late, deliveries may be pending.
	settledAt time.Time
	// integrity is the store's integrity error when it is opened.
	integrity error
}

// busyMax bounds how often a page is requested that the service defers in favour of orders
// (429), once a second.
const busyMax = 60

// page reads all pages of a list over REST.
func page[T any](w *world, path string, query url.Values) []T {
	w.t.Helper()
	var all []T
	busy := 0
	for at := w.random.Uint64(); ; at++ {
		request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, *w.base.Load()+path+"?"+query.Encode(), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+w.key(at))
		status, body, err := exchange(w.observer, request)
		if status == http.StatusTooManyRequests && busy < busyMax {
			busy++
			time.Sleep(time.Second)
			continue
		}
		if err != nil || status != http.StatusOK {
			w.t.Fatalf("GET %s: %d %s %v\n%s", path, status, body, err, w.service.tail())
		}
		var list struct {
			Items      []T    `json:"items"`
			NextCursor string `json:"nextCursor"`
		}
		if err := json.Unmarshal(body, &list); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, list.Items...)
		if list.NextCursor == "" {
			return all
		}
		query.Set("cursor", list.NextCursor)
	}
}

// learn collects the final state: over REST while the service runs, from the store
// after a clean stop, and from the ledger.
func (w *world) learn() truth {
	w.t.Helper()
	know := truth{
		shown:  page[orderView](w, "/v1/orders", url.Values{"status": {"all"}, "limit": {"500"}}),
		events: page[persistence.Event](w, "/v1/events", url.Values{"limit": {"500"}}),
		lives:  w.sim.lives, settledAt: w.settledAt,
	}
	if err := w.service.stop(stopMax); err != nil {
		w.t.Error(err)
		w.service.kill()
	}
	know.ledger = w.sim.orders()
	if err := know.readStore(w.t.Context(), filepath.Join(w.dir, "store")); err != nil {
		w.t.Fatal(err)
	}
	return know
}

// readStore reads the store of a stopped service.
func (k *truth) readStore(ctx context.Context, dir string) error {
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // it is only read
	k.integrity = store.Integrity()
	customers, err := store.Customers(ctx)
	if err != nil || len(customers) == 0 {
		return fmt.Errorf("no customer in the store: %w", err)
	}
	customer := customers[0].ID
	k.orders, err = allOf(func(after *persistence.PagePosition) (persistence.Page[persistence.OrderRecord], error) {
		return store.Orders(ctx, persistence.OrderQuery{Customer: customer, View: persistence.OrdersAll, After: after})
	})
	if err != nil {
		return err
	}
	fills, err := allOf(func(after *persistence.PagePosition) (persistence.Page[persistence.FillRecord], error) {
		return store.Fills(ctx, persistence.FillQuery{Customer: customer, After: after})
	})
	if err != nil {
		return err
	}
	k.fills = map[string][]persistence.FillRecord{}
	for _, f := range fills {
		k.fills[f.OrderID] = append(k.fills[f.OrderID], f)
	}
	k.journal, err = allOf(func(after *persistence.PagePosition) (persistence.Page[persistence.JournalEntry], error) {
		return store.Journal(ctx, persistence.JournalQuery{Customer: customer, After: after})
	})
	if err != nil {
		return err
	}
	if err := k.readSignals(ctx, store, customer); err != nil {
		return err
	}
	for after := ""; ; after = k.stored[len(k.stored)-1].ID {
		events, err := store.Events(ctx, customer, after, 0)
		if err != nil || len(events) == 0 {
			return err
		}
		k.stored = append(k.stored, events...)
	}
}

// readSignals reads signals and deliveries.
func (k *truth) readSignals(ctx context.Context, store persistence.Reader, customer string) (err error) {
	k.signals, err = allOf(func(after *persistence.PagePosition) (persistence.Page[persistence.SignalRecord], error) {
		return store.Signals(ctx, persistence.SignalQuery{Customer: customer, After: after})
	})
	if err != nil {
		return err
	}
	if k.endpoints, err = store.Endpoints(ctx, customer); err != nil {
		return err
	}
	k.cursors, k.deliveries = map[string]uint64{}, map[string][]persistence.Delivery{}
	for _, e := range k.endpoints {
		cursor, err := store.EndpointCursor(ctx, customer, e.ID)
		if err != nil {
			return err
		}
		k.cursors[e.ID] = cursor.Seq
		k.deliveries[e.ID], err = allOf(func(after *persistence.PagePosition) (persistence.Page[persistence.Delivery], error) {
			return store.Deliveries(ctx, persistence.DeliveryQuery{Customer: customer, Endpoint: e.ID, After: after})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// allOf reads every page of a query.
func allOf[T any](read func(after *persistence.PagePosition) (persistence.Page[T], error)) ([]T, error) {
	var all []T
	var after *persistence.PagePosition
	for {
		p, err := read(after)
		if err != nil {
			return nil, err
		}
		all = append(all, p.Items...)
		if after = p.Next; after == nil {
			return all, nil
		}
	}
}

// ledgerKey identifies the ledger rows of an order of the service, whose client order
// id ends with the order's ULID.
type ledgerKey struct {
	venue venues.Venue
	id    string
}

const (
	ulidLength      = 26
	clientIDLength  = 4 + ulidLength
	statusRefused   = "refused"
	kindConditional = "conditional"
)

func keyOf(venue venues.Venue, orderID string) ledgerKey {
	return ledgerKey{venue, strings.ToLower(strings.TrimPrefix(orderID, "ord_"))}
}

// ledger has the orders that the venues have accepted.
type ledger struct {
	// ours are the rows of each order of the service; a triggered order belongs to its
	// conditional order.
	ours map[ledgerKey][]simcore.LedgerOrder
	// all are the rows by the venue's order id.
	all map[ledgerKey][]simcore.LedgerOrder
}

func indexLedger(rows []simcore.LedgerOrder) ledger {
	l := ledger{map[ledgerKey][]simcore.LedgerOrder{}, map[ledgerKey][]simcore.LedgerOrder{}}
	for _, row := range rows {
		if row.Status == statusRefused {
			continue
		}
		named := ledgerKey{venues.Venue(row.Venue), row.VenueOrderID}
		l.all[named] = append(l.all[named], row)
		if row.ParentID == "" && len(row.ClientOrderID) == clientIDLength {
			key := ledgerKey{venues.Venue(row.Venue), row.ClientOrderID[clientIDLength-ulidLength:]}
			l.ours[key] = append(l.ours[key], row)
		}
	}
	return l
}

// of returns the rows of an order of the service, placed by it or adopted.
func (l ledger) of(o *orderView) []simcore.LedgerOrder {
	if rows := l.ours[keyOf(o.Exchange, o.OrderID)]; len(rows) > 0 {
		return rows
	}
	return l.all[ledgerKey{o.Exchange, o.VenueOrderID}]
}

// forgotten reports whether the venue has lost its state since it accepted an order.
func forgotten(rows []simcore.LedgerOrder, lives []time.Time) bool {
	return slices.ContainsFunc(rows, func(row simcore.LedgerOrder) bool {
		accepted, err := time.Parse(venues.TimeFormat, row.AcceptedAt)
		return err == nil && accepted.Before(lives[len(lives)-1])
	})
}

// stage of an order's life that both sides must agree on.
func stage(status string) string {
	switch status {
	case "new", "waiting", "open", "untriggered":
		return "waiting"
	case "cancelled", "expired", "replaced", "rejected":
		return "ended"
	default:
		return status
	}
}

// differs returns how the service's view of an order differs from the venue's, or "".
// An order that never reached the venue is not compared.
func (o *orderView) differs(rows []simcore.LedgerOrder) string {
	if len(rows) == 0 {
		if o.Status == string(venues.StatusRejected) || o.Status == string(venues.StatusCancelled) && !amount(o.FilledQty).IsPositive() {
			return ""
		}
		return o.Status + " here, unknown to the venue"
	}
	row := rows[len(rows)-1]
	if stage(o.Status) != stage(row.Status) {
		return o.Status + " here, " + row.Status + " there"
	}
	// The venue counts in its own units: filled/qty = filled/base.
	here, there := amount(o.FilledQty).Mul(amount(row.Qty)), amount(row.FilledQty).Mul(amount(row.BaseQty))
	if row.Kind != kindConditional && !here.Equal(there) {
		return o.FilledQty + " filled here, " + row.FilledQty + " there in units of the venue"
	}
	return ""
}

// amount parses a decimal of a ledger or of a response.
func amount(text string) decimal.Decimal {
	value, err := venues.ParseDecimal(text)
	if err != nil {
		panic(fmt.Sprintf("chaos: %q is no decimal: %v", text, err))
	}
	return value
}

func hundredths(n int64) decimal.Decimal { return decimal.New(n, -2) }
