package rest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/documenttest"
	"venuegate/transport/listen"
	"venuegate/transport/pipetest"
	"venuegate/transport/rest"
	"venuegate/venues"
)

func TestMain(m *testing.M) {
	pipetest.WarmUp()
	goleak.VerifyTestMain(m,
		// The HTTP library runs one clock per process, and its worker pool stops up to
		// 10 s late.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

var (
	allScopes = []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade, persistence.ScopeAccount}
	some      = func(text string) venues.Optional { return venues.Some(venues.MustDecimal(text)) }
)

// world is a server over an in-memory store, with fakes in the place of actors. Every
// response is validated against the OpenAPI document.
type world struct {
	testing.TB
	store       *storetest.Memory
	trader      *fakeTrader
	accounts    *fakeAccounts
	instruments fakeInstruments
	market      *fakeMarket
	ready       *fakeReadiness
	auth        *auth.Authenticator
	server      *rest.Server
	logs        *observer.ObservedLogs
	document    *documenttest.Document
}

func newWorld(t testing.TB, change ...func(*rest.Deps)) *world {
	t.Helper()
	document, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		TB: t, store: storetest.NewMemory(), trader: &fakeTrader{}, accounts: &fakeAccounts{}, ready: &fakeReadiness{api.Readiness{Ready: true}},
		instruments: testInstruments(), market: &fakeMarket{}, document: document,
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.auth = auth.NewAuthenticator(w.store)
	core, logs := observer.New(zap.DebugLevel)
	w.logs = logs
	deps := rest.Deps{
		Hosts:  listen.Hosts{Any: true},
		Trader: w.trader, Accounts: w.accounts, Instruments: w.instruments, Market: w.market, Records: w.store, Auth: w.auth,
		Limiter: auth.NewMemoryLimiter(auth.LimiterCapacity), Ready: w.ready,
		CursorSecret: bytes.Repeat([]byte{7}, api.CursorSecretBytesMin), OpenAPI: api.OpenAPI(), AsyncAPI: api.AsyncAPI(), Log: zap.New(core),
	}
	for _, c := range change {
		c(&deps)
	}
	server, err := rest.New(deps)
	if err != nil {
		t.Fatal(err)
	}
	w.server = server
	return w
}

// loadDocument loads the document once, because that takes most of a test's time.
var loadDocument = sync.OnceValues(func() (*documenttest.Document, error) { return documenttest.Load(api.OpenAPI()) })

// customer stores a customer with an account at each given venue.
func (w *world) customer(id string, exchanges ...venues.Venue) {
	w.Helper()
	w.put(persistence.Customer{ID: id, Name: id})
	for _, exchange := range exchanges {
		w.put(persistence.VenueAccount{Customer: id, Exchange: exchange})
	}
}

func (w *world) put(records ...persistence.Record) {
	w.Helper()
	for _, r := range records {
		w.commit(r.Key().Customer, persistence.Batch{Puts: []persistence.Record{r}})
	}
}

func (w *world) commit(customer string, b persistence.Batch) {
	w.Helper()
	if customer != "" {
		fence, err := w.store.TakeOwnership(w.Context(), customer)
		if err != nil {
			w.Fatal(err)
		}
		b.Fence = fence
	}
	if err := w.store.Commit(w.Context(), b); err != nil {
		w.Fatal(err)
	}
}

// key stores an API key of the customer and returns its secret.
func (w *world) key(customer string, scopes ...persistence.Scope) string {
	w.Helper()
	secret, record, err := auth.New(rand.Reader, auth.Grant{Customer: customer, Scopes: scopes}, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	w.put(record)
	return secret.Reveal()
}

// response is a response whose body has been read.
type response struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// do sends a request and validates the response against the document. Extra headers
// are "Name: value".
func (w *world) do(method, path, key, body string, headers ...string) *response {
	w.Helper()
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	resp, err := w.server.App().Test(request, -1)
	if err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	r := &response{w, resp.StatusCode, resp.Header, data}
	w.checkResponse(request, r)
	return r
}

// checkResponse checks that status, headers and body are as documented, that the
// common headers are set, and that an error body is complete.
func (w *world) checkResponse(request *http.Request, r *response) {
	w.Helper()
	if r.header.Get("X-Request-Id") == "" || r.header.Get("X-Content-Type-Options") != "nosniff" || r.header.Get("Cache-Control") != "no-store" {
		w.Errorf("%s %s: headers = %v, want the common ones", request.Method, request.URL, r.header)
	}
	if r.status >= 400 && request.Method != http.MethodHead && request.URL.Path != "/readyz" {
		e := r.error()
		if e.RequestID != r.header.Get("X-Request-Id") || e.Details == nil || e.Message == "" {
			w.Errorf("%s %s: error body = %s, want message, details and request id", request.Method, request.URL, r.body)
		}
	}
	w.document.CheckResponse(w, request, r.status, r.header, r.body)
}

type errorBody struct {
	Code      venues.Code    `json:"code"`
	Message   string         `json:"message"`
	Details   map[string]any `json:"details"`
	RequestID string         `json:"requestId"`
}

func (r *response) error() errorBody {
	r.t.Helper()
	var body struct {
		Error errorBody `json:"error"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		r.t.Fatalf("%v: %s", err, r.body)
	}
	return body.Error
}

// want checks status and, for an error, its code.
func (r *response) want(status int, code ...venues.Code) *response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status = %d, want %d: %s", r.status, status, r.body)
	}
	if len(code) > 0 && r.error().Code != code[0] {
		r.t.Fatalf("code = %s, want %s: %s", r.error().Code, code[0], r.body)
	}
	return r
}

// fieldErrors returns the "field rule" pairs of details.fields.
func (r *response) fieldErrors() []string {
	r.t.Helper()
	fields, _ := r.error().Details["fields"].([]any)
	var pairs []string
	for _, f := range fields {
		e, _ := f.(map[string]any)
		pairs = append(pairs, e["field"].(string)+" "+e["rule"].(string))
	}
	return pairs
}

func (r *response) wantFieldErrors(want ...string) {
	r.t.Helper()
	r.want(http.StatusBadRequest, venues.CodeInvalidRequest)
	if got := r.fieldErrors(); strings.Join(got, ",") != strings.Join(want, ",") {
		r.t.Errorf("field errors = %q, want %q", got, want)
	}
}

type page struct {
	Items      []map[string]any `json:"items"`
	NextCursor *string          `json:"nextCursor"`
	Errors     []map[string]any `json:"errors"`
}

func (r *response) page() page {
	r.t.Helper()
	var p page
	if err := json.Unmarshal(r.body, &p); err != nil || p.Items == nil {
		r.t.Fatalf("%v: %s", err, r.body)
	}
	return p
}

func (r *response) object() map[string]any {
	r.t.Helper()
	var o map[string]any
	if err := json.Unmarshal(r.body, &o); err != nil {
		r.t.Fatalf("%v: %s", err, r.body)
	}
	return o
}

// fakeTrader returns what the test has set, and records the commands.
type fakeTrader struct {
	mu       sync.Mutex
	order    venues.Order
	results  []venues.CancelResult
	change   venues.LeverageChange
	err      error
	hook     func(ctx context.Context, command any)
	commands []any
}

func (f *fakeTrader) record(ctx context.Context, command any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commands = append(f.commands, command)
	if f.hook != nil {
		f.hook(ctx, command)
	}
	return f.err
}

func (f *fakeTrader) last() any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.commands) == 0 {
		return nil
	}
	return f.commands[len(f.commands)-1]
}

// orderFor returns the order with the customer of the command in its comment.
func (f *fakeTrader) orderFor(c venues.Command) venues.Order {
	o := f.order
	o.Comment = "canary of " + c.Customer
	return o
}

func (f *fakeTrader) Place(ctx context.Context, c venues.PlaceOrder) (venues.Order, error) {
	if err := f.record(ctx, c); err != nil {
		return venues.Order{}, err
	}
	return f.orderFor(c.Command), nil
}

func (f *fakeTrader) CheckOrder(ctx context.Context, c venues.PlaceOrder) (venues.OrderCheck, error) {
	return venues.OrderCheck{Order: &c}, f.record(ctx, c)
}

func (f *fakeTrader) Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error) {
	return f.orderFor(c.Command), f.record(ctx, c)
}

func (f *fakeTrader) Amend(ctx context.Context, c venues.AmendOrder) (venues.Order, error) {
	return f.orderFor(c.Command), f.record(ctx, c)
}

func (f *fakeTrader) Cancel(ctx context.Context, c venues.CancelOrder) (venues.Order, error) {
	return f.orderFor(c.Command), f.record(ctx, c)
}

func (f *fakeTrader) CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error) {
	return f.results, f.record(ctx, c)
}

func (f *fakeTrader) SetLeverage(ctx context.Context, c venues.ChangeLeverage) (venues.LeverageChange, error) {
	return f.change, f.record(ctx, c)
}

// fakeAccounts returns balances and positions that name their customer.
type fakeAccounts struct {
	mu       sync.Mutex
	failures []venues.VenueFailure
	empty    bool
	err      error
	last     venues.ReadAccount
}

func (f *fakeAccounts) Balances(_ context.Context, q venues.ReadAccount) ([]venues.Balance, []venues.VenueFailure, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = q
	if f.empty || f.err != nil {
		return nil, f.failures, f.err
	}
	return []venues.Balance{{
		Exchange: venues.Binance, AccountType: "canary of " + q.Customer, Equity: venues.MustDecimal("100000"), Currency: q.Currency,
	}}, f.failures, nil
}

func (f *fakeAccounts) Positions(_ context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = q
	if f.empty || f.err != nil {
		return nil, f.failures, f.err
	}
	return []venues.Position{{
		Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("0.5"), AccountType: "canary of " + q.Customer,
	}}, f.failures, nil
}

type fakeInstruments map[venues.Venue]*venues.InstrumentSet

func (f fakeInstruments) Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool) {
	set, known := f[exchange]
	return set, known
}

type fakeReadiness struct{ value api.Readiness }

func (f *fakeReadiness) Readiness() api.Readiness { return f.value }

func (f *fakeReadiness) Venues() []api.VenueState {
	offset, reason, since := int64(-12), "clock not compared", venues.At(time.Now())
	return []api.VenueState{
		{Exchange: venues.Binance, Status: "up", Since: since, ClockOffsetMillis: &offset, OrderEntry: venues.OrderEntryREST, Environment: "sim"},
		{Exchange: venues.OKX, Status: api.VenueMaintenance, Since: since, Reason: &reason, OrderEntry: venues.OrderEntryWebSocket, Environment: "live"},
	}
}

func testInstruments() fakeInstruments {
	instrument := func(exchange venues.Venue, symbol, venueSymbol string, kind venues.Kind, status venues.InstrumentStatus) venues.Instrument {
		return venues.Instrument{
			Symbol: symbol, Exchange: exchange, Kind: kind, Status: status, VenueSymbol: venueSymbol,
			TickSize: venues.MustDecimal("0.1"), MinQty: venues.MustDecimal("0.001"), QtyStep: venues.MustDecimal("0.001"),
			ContractSize: venues.MustDecimal("1"), BaseCurrency: symbol[:3], QuoteCurrency: "USDT", SettleCurrency: "USDT",
		}
	}
	return fakeInstruments{
		venues.Binance: venues.NewInstrumentSet([]venues.Instrument{
			instrument(venues.Binance, "ETHUSDT", "ETHUSDT", venues.KindPerpetual, venues.InstrumentTrading),
			instrument(venues.Binance, "BTCUSDT", "BTCUSDT", venues.KindPerpetual, venues.InstrumentTrading),
			instrument(venues.Binance, "BTCUSDT-260925", "BTCUSDT_260925", venues.KindFuture, venues.InstrumentTrading),
		}),
		venues.Bybit: venues.NewInstrumentSet([]venues.Instrument{
			instrument(venues.Bybit, "BTCUSDT", "BTCUSDT", venues.KindPerpetual, venues.InstrumentTrading),
			instrument(venues.Bybit, "BTCUSDT-260925", "BTCUSDT-25SEP26", venues.KindFuture, venues.InstrumentHalted),
		}),
	}
}
