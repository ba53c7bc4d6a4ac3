package storetest

import (
	"errors"
	"fmt"
	"strings"

	"venuegate/persistence"
	"venuegate/venues"
)

var recordCases = []conformanceCase{
	{"customers", recordCustomers},
	{"API keys", recordAPIKeys},
	{"venue accounts", recordVenueAccounts},
	{"account states", recordAccountStates},
	{"risk and positions", recordRisk},
	{"settings", recordSettings},
	{"users and sessions", recordUsers},
	{"idempotency attempts", recordAttempts},
	{"idempotency scopes", recordScopes},
	{"unknown ids", recordUnknown},
	{"customers are isolated", recordIsolation},
}

func recordCustomers(h *harness) {
	alice := persistence.Customer{ID: "cus_b", Name: "Alice \"<&>\" \u00fc", CreatedAt: timeAt(1)}
	bob := persistence.Customer{ID: "cus_a", Name: "Bob", CreatedAt: timeAt(2), Disabled: true}
	h.put(alice, bob)
	alice.Disabled = true
	h.put(alice)
	h.equal("customers by id", must[[]persistence.Customer](h)(h.store.Customers(h.Context())), []persistence.Customer{bob, alice})
	h.equal("customer", must[persistence.Customer](h)(h.store.Customer(h.Context(), "cus_b")), alice)
}

func recordAPIKeys(h *harness) {
	key := persistence.APIKey{
		ID: "k2", Customer: "alice", Name: "n", Hash: []byte{0, 255}, Scopes: []persistence.Scope{persistence.ScopeRead},
		CreatedAt: timeAt(1), ExpiresAt: timeAt(2), Allow: []string{"10.0.0.0/8"},
		LastUsedAt: timeAt(4), LastUsedFrom: "192.0.2.1", ReplacedBy: "k1",
	}
	other := persistence.APIKey{ID: "k1", Customer: "alice", CreatedAt: timeAt(3)}
	foreign := persistence.APIKey{ID: "k3", Customer: "alic", CreatedAt: timeAt(3)}
	h.put(key, other, foreign)
	ctx := h.Context()
	h.equal("key", must[persistence.APIKey](h)(h.store.APIKey(ctx, "k2")), key)
	h.equal("keys", must[[]persistence.APIKey](h)(h.store.APIKeys(ctx, "alice")), []persistence.APIKey{other, key})
	key.RevokedAt, key.Customer = timeAt(9), "bob"
	h.put(key)
	h.equal("keys after one moved", must[[]persistence.APIKey](h)(h.store.APIKeys(ctx, "alice")), []persistence.APIKey{other})
	h.equal("keys of the other", must[[]persistence.APIKey](h)(h.store.APIKeys(ctx, "bob")), []persistence.APIKey{key})
}

func recordVenueAccounts(h *harness) {
	okx := persistence.VenueAccount{Customer: "alice", Exchange: venues.OKX, Environment: "sim", Sealed: []byte{1, 0, 2}, CreatedAt: timeAt(1)}
	binance := persistence.VenueAccount{Customer: "alice", Exchange: venues.Binance, Environment: "live", CreatedAt: timeAt(2), Halted: true}
	h.put(okx, binance)
	got := must[[]persistence.VenueAccount](h)(h.store.VenueAccounts(h.Context(), "alice"))
	h.equal("accounts by exchange", got, []persistence.VenueAccount{binance, okx})
}

func recordAccountStates(h *harness) {
	state := persistence.AccountState{Customer: "alice", Exchange: venues.Bybit, FillsUntil: map[string]venues.Time{
		"BTCUSDT": timeAt(1), "ETHUSDT": timeAt(2),
	}}
	h.put(state)
	h.equal("state", must[persistence.AccountState](h)(h.store.AccountState(h.Context(), "alice", venues.Bybit)), state)
	missing[persistence.AccountState](h)(h.store.AccountState(h.Context(), "alice", venues.OKX))
}

func recordRisk(h *harness) {
	ctx := h.Context()
	risk := persistence.RiskRecord{
		Customer: "alice", Exchange: venues.Bybit, Day: timeAt(0), Baseline: venues.Some(venues.MustDecimal("-1.5")),
		Lock: &persistence.RiskLock{
			Limit: "daily_loss", Threshold: venues.MustDecimal("500"), Actual: venues.MustDecimal("501.25"), At: timeAt(1), Until: timeAt(2),
		},
	}
	eth := persistence.PositionRecord{
		Customer: "alice", Exchange: venues.Bybit, Symbol: "ETHUSDT", CutAt: timeAt(1), CutTrade: "7",
		Long: &persistence.PositionTotals{EntryQty: venues.MustDecimal("2"), EntryNotional: venues.MustDecimal("4000.5"), OpenCost: venues.MustDecimal("4000.5"), OpenedAt: timeAt(1)},
	}
	btc, other := eth, eth
	btc.Symbol, other.Exchange = "BTCUSDT", venues.OKX
	h.put(risk, eth, btc, other)
	h.equal("risk", must[persistence.RiskRecord](h)(h.store.Risk(ctx, "alice", venues.Bybit)), risk)
	missing[persistence.RiskRecord](h)(h.store.Risk(ctx, "alice", venues.OKX))
	h.equal("positions", must[[]persistence.PositionRecord](h)(h.store.PositionRecords(ctx, "alice", venues.Bybit)), []persistence.PositionRecord{btc, eth})
	h.equal("positions of another customer", len(must[[]persistence.PositionRecord](h)(h.store.PositionRecords(ctx, "bob", venues.Bybit))), 0)
}

func recordSettings(h *harness) {
	h.put(persistence.Setting{Name: "secret", Value: []byte{1}}, persistence.Setting{Name: "secret", Value: []byte{0, 2}})
	h.equal("setting", must[persistence.Setting](h)(h.store.Setting(h.Context(), "secret")), persistence.Setting{Name: "secret", Value: []byte{0, 2}})
}

func recordUsers(h *harness) {
	ctx := h.Context()
	ann, bob := NewUser("alice", 2), NewUser("bob", 1)
	first, second := NewSession("user-2", 1), NewSession("user-1", 2)
	h.put(ann, bob, second, first)
	ann.Disabled, ann.Recovery, ann.Customer = true, []string{"b"}, ""
	first.EndsAt = timeAt(9)
	h.put(ann, first)
	h.equal("users by login", must[[]persistence.User](h)(h.store.Users(ctx)), []persistence.User{bob, ann})
	h.equal("user", must[persistence.User](h)(h.store.User(ctx, "user-2")), ann)
	h.equal("sessions by id", must[[]persistence.Session](h)(h.store.Sessions(ctx)), []persistence.Session{first, second})
	h.equal("session", must[persistence.Session](h)(h.store.Session(ctx, "ses_000001")), first)
	exists := persistence.Batch{Absent: []persistence.Key{ann.Key()}, Puts: []persistence.Record{ann}}
	if err := h.store.Commit(ctx, exists); !errors.Is(err, persistence.ErrExists) {
		h.Errorf("Commit of a second user with a login = %v, want ErrExists", err)
	}
}

// recordAttempts has more than ten attempts, because the tenth is newer than the ninth.
func recordAttempts(h *harness) {
	for attempt := 1; attempt <= 12; attempt++ {
		r := NewIdempotency("alice", "r", attempt, attempt)
		h.commit("alice", persistence.Batch{Absent: []persistence.Key{r.Key()}, Puts: []persistence.Record{r}})
		got := must[persistence.IdempotencyRecord](h)(h.store.Idempotency(h.Context(), "alice", persistence.ScopeREST, "r"))
		h.equal("newest attempt", got, r)
	}
	freed := NewIdempotency("alice", "r", 3, 3)
	freed.FreedAt = timeAt(99)
	h.put(freed)
	got := must[persistence.IdempotencyRecord](h)(h.store.Idempotency(h.Context(), "alice", persistence.ScopeREST, "r"))
	h.equal("newest attempt after an older one changed", got.Attempt, 12)
}

func recordScopes(h *harness) {
	rest, hook := NewIdempotency("alice", "r", 1, 1), NewIdempotency("alice", "r", 4, 2)
	hook.Scope = "hook_1"
	longer := NewIdempotency("alice", "r2", 7, 3)
	h.put(rest, hook, longer)
	ctx := h.Context()
	h.equal("rest", must[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "alice", persistence.ScopeREST, "r")), rest)
	h.equal("hook", must[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "alice", "hook_1", "r")), hook)
	missing[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "alice", "hook_1", "r2"))
	missing[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "bob", persistence.ScopeREST, "r"))
}

func recordUnknown(h *harness) {
	ctx := h.Context()
	for _, id := range []string{"", "unknown", "un\x00known", strings.Repeat("x", 10_000), "\xff"} {
		missing[persistence.Customer](h)(h.store.Customer(ctx, id))
		missing[persistence.APIKey](h)(h.store.APIKey(ctx, id))
		missing[persistence.User](h)(h.store.User(ctx, id))
		missing[persistence.Session](h)(h.store.Session(ctx, id))
		missing[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", id))
		missing[persistence.OrderRecord](h)(h.store.Order(ctx, id, "ord_1"))
		missing[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", id))
		missing[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "alice", persistence.ScopeREST, id))
		missing[persistence.Setting](h)(h.store.Setting(ctx, id))
		missing[persistence.AccountState](h)(h.store.AccountState(ctx, id, venues.OKX))
		missing[persistence.SignalRecord](h)(h.store.Signal(ctx, "alice", id))
		missing[persistence.EndpointCursor](h)(h.store.EndpointCursor(ctx, "alice", id))
		missing[persistence.Event](h)(h.store.Event(ctx, "alice", id))
		if id != "" {
			missing[[]persistence.Event](h)(h.store.Events(ctx, "alice", id, 10))
		}
		h.equal("sequence", must[uint64](h)(h.store.LastSequence(ctx, id)), 0)
	}
	h.equal("customers", len(must[[]persistence.Customer](h)(h.store.Customers(ctx))), 0)
}

// recordIsolation stores records with the same ids for customers with similar names, and
// checks that each reads its own only.
func recordIsolation(h *harness) {
	names := []string{"a", "ab", "a\x00", "a\x00b", "a/", "A", "a\x01", "aa"}
	for i, name := range names {
		h.commit(name, persistence.Batch{
			Puts:    canaries(name, i+1),
			Events:  []persistence.Event{canaryEvent(name, i+1)},
			Journal: []persistence.JournalEntry{{ID: "jrn_1", Seq: uint64(i + 1), At: timeAt(1), Kind: name, Subject: "s", Channel: "c"}},
		})
	}
	for i, name := range names {
		h.onlyOwn(name, i+1)
	}
	missing[persistence.OrderRecord](h)(h.store.Order(h.Context(), "b", "ord_000001"))
}

// canaries returns one record of each kind of a customer, and n orders. Their customer can
// be recognized.
func canaries(customer string, n int) []persistence.Record {
	records := []persistence.Record{
		NewIdempotency(customer, "r", n, 1),
		NewFill(customer, 1),
		persistence.VenueAccount{Customer: customer, Exchange: venues.OKX, Environment: customer},
		persistence.AccountState{Customer: customer, Exchange: venues.OKX, FillsUntil: map[string]venues.Time{customer: timeAt(1)}},
		persistence.RiskRecord{Customer: customer, Exchange: venues.OKX},
		persistence.PositionRecord{Customer: customer, Exchange: venues.OKX, Symbol: "BTCUSDT"},
		persistence.APIKey{ID: "key of " + customer, Customer: customer, Name: customer},
		NewChannel(customer, 1), NewSignal(customer, 1), NewEndpoint(customer, 1), NewDelivery(customer, 1), NewAlert(customer, 1),
		persistence.EndpointCursor{Customer: customer, Endpoint: "end_000001", Seq: uint64(n)},
	}
	for i := 1; i <= n; i++ {
		records = append(records, NewOrder(customer, i))
	}
	return records
}

func canaryEvent(customer string, n int) persistence.Event {
	return persistence.Event{ID: "evt_1", Seq: uint64(n), Type: persistence.EventType(customer), CreatedAt: timeAt(1), Data: []byte("{}")}
}

// onlyOwn checks that every query of a customer returns its canaries and no other records.
func (h *harness) onlyOwn(customer string, n int) {
	h.Helper()
	ctx := h.Context()
	own := func(what, owner string) {
		h.Helper()
		if owner != customer {
			h.Errorf("%s returned to customer %q is that of %q", what, customer, owner)
		}
	}
	order := must[persistence.OrderRecord](h)(h.store.Order(ctx, customer, "ord_000001"))
	own("order", order.Customer)
	own("order by client id", must[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, customer, order.ClientOrderID)).Customer)
	own("idempotency", must[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, customer, persistence.ScopeREST, "r")).Customer)
	own("state", must[persistence.AccountState](h)(h.store.AccountState(ctx, customer, venues.OKX)).Customer)
	own("risk", must[persistence.RiskRecord](h)(h.store.Risk(ctx, customer, venues.OKX)).Customer)
	for _, p := range must[[]persistence.PositionRecord](h)(h.store.PositionRecords(ctx, customer, venues.OKX)) {
		own("position", p.Customer)
	}
	for _, view := range []persistence.OrderView{persistence.OrdersAll, persistence.OrdersOpen, ""} {
		page := must[orderPage](h)(h.store.Orders(ctx, persistence.OrderQuery{Customer: customer, View: view}))
		h.equal("count of orders", len(page.Items), n)
		for _, o := range page.Items {
			own("order in a page", o.Customer)
		}
	}
	for _, f := range must[fillPage](h)(h.store.Fills(ctx, persistence.FillQuery{Customer: customer})).Items {
		own("fill", f.Customer)
	}
	for _, a := range must[[]persistence.VenueAccount](h)(h.store.VenueAccounts(ctx, customer)) {
		own("account", a.Environment)
	}
	keys := must[[]persistence.APIKey](h)(h.store.APIKeys(ctx, customer))
	h.equal("count of keys", len(keys), 1)
	own("key", keys[0].Customer)
	h.onlyOwnSignals(customer, n, own)
	events := must[[]persistence.Event](h)(h.store.Events(ctx, customer, "", 0))
	h.equal("events since", must[[]persistence.Event](h)(h.store.EventsSince(ctx, customer, 0, 0)), events)
	own("event", string(must[persistence.Event](h)(h.store.Event(ctx, customer, "evt_1")).Type))
	h.equal("events", events, []persistence.Event{canaryEvent(customer, n)})
	for _, q := range []persistence.JournalQuery{{Customer: customer}, {Customer: customer, Subject: "s"}, {Customer: customer, Channel: "c"}} {
		journal := must[journalPage](h)(h.store.Journal(ctx, q))
		h.equal("count of journal rows", len(journal.Items), 1)
		own("journal row", journal.Items[0].Kind)
	}
	h.equal(fmt.Sprintf("sequence of %q", customer), must[uint64](h)(h.store.LastSequence(ctx, customer)), n)
}

// onlyOwnSignals checks signals, deliveries, alerts, channels and endpoints.
func (h *harness) onlyOwnSignals(customer string, n int, own func(what, owner string)) {
	h.Helper()
	ctx := h.Context()
	channels := must[[]persistence.Channel](h)(h.store.Channels(ctx, customer))
	endpoints := must[[]persistence.Endpoint](h)(h.store.Endpoints(ctx, customer))
	alerts := must[[]persistence.Alert](h)(h.store.Alerts(ctx, customer))
	signals := must[signalPage](h)(h.store.Signals(ctx, persistence.SignalQuery{Customer: customer})).Items
	inbox := must[[]persistence.SignalRecord](h)(h.store.UnfinishedSignals(ctx, customer, "hook_000001"))
	deliveries := must[deliveryPage](h)(h.store.Deliveries(ctx, persistence.DeliveryQuery{Customer: customer})).Items
	due := must[[]persistence.Delivery](h)(h.store.PendingDeliveries(ctx, customer, "end_000001", 0))
	counts := []int{len(channels), len(endpoints), len(alerts), len(signals), len(inbox), len(deliveries), len(due)}
	h.equal("counts", counts, []int{1, 1, 1, 1, 1, 1, 1})
	if h.Failed() {
		return
	}
	own("channel", channels[0].Customer)
	own("endpoint", endpoints[0].Customer)
	own("alert", alerts[0].Customer)
	own("signal in a page", signals[0].Customer)
	own("unfinished signal", inbox[0].Customer)
	own("delivery in a page", deliveries[0].Customer)
	own("pending delivery", due[0].Customer)
	own("signal", must[persistence.SignalRecord](h)(h.store.Signal(ctx, customer, "sig_000001")).Customer)
	cursor := must[persistence.EndpointCursor](h)(h.store.EndpointCursor(ctx, customer, "end_000001"))
	h.equal("cursor", cursor.Seq, n)
}
