package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/rest"
	"venuegate/venues"
)

const marketOrder = `{"exchange":"binance","symbol":"BTC/USDT:USDT","side":"buy","type":"market","qty":"0.5","requestId":"r-1","comment":"c"}`

func TestPostOrderBuildsTheCommand(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	before := time.Now()
	w.do(http.MethodPost, "/v1/orders", w.key("cus_1", persistence.ScopeTrade), marketOrder).want(http.StatusCreated)
	c, placed := w.trader.last().(venues.PlaceOrder)
	if !placed {
		t.Fatalf("command = %T, want PlaceOrder", w.trader.last())
	}
	hash, err := api.BodyHash([]byte(marketOrder))
	if err != nil {
		t.Fatal(err)
	}
	if c.Customer != "cus_1" || !strings.HasPrefix(c.ID, "cmd_") || !c.Deadline.After(before.Add(api.OrderAnswerWait)) ||
		c.Exchange != venues.Binance || c.Symbol != "BTCUSDT" || c.RequestID != "r-1" || c.Scope != persistence.ScopeREST ||
		c.Source != venues.SourceAPI || c.Comment != "c" || string(c.BodyHash) != string(hash) || c.ChannelID != "" {
		t.Errorf("command = %+v, want that of the body", c)
	}
}

// Place and close return 201 once the venue has acknowledged, 202 before.
func TestStatusOfPlaceAndClose(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	for _, status := range venues.OrderStatuses() {
		want := http.StatusCreated
		if status == venues.StatusPending || status == venues.StatusUnknown {
			want = http.StatusAccepted
		}
		w.trader.order.Status = status
		for path, body := range map[string]string{
			"/v1/orders": marketOrder, "/v1/positions/close": `{"exchange":"binance","symbol":"BTCUSDT"}`,
		} {
			if got := w.do(http.MethodPost, path, key, body).want(want).object(); got["status"] != string(status) {
				t.Errorf("%s: order = %v, want status %s", path, got, status)
			}
		}
	}
}

func TestErrorsOfTheTrader(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	record := w.trader.order
	rejected := venues.Errorf(venues.CodeInsufficientBalance, "m").
		With("required", "640").With("available", "12.5").With("order", record).Because(errors.New("cause"))
	rejected.VenueCode, rejected.VenueMessage = "-2019", "Margin is insufficient."
	w.trader.err = fmt.Errorf("place order: %w", rejected)
	details := w.do(http.MethodPost, "/v1/orders", key, marketOrder).
		want(http.StatusUnprocessableEntity, venues.CodeInsufficientBalance).error().Details
	order, _ := details["order"].(map[string]any)
	if order["orderId"] != "ord_1" || order["remainingQty"] != "1" || details["venueCode"] != "-2019" || details["required"] != "640" {
		t.Errorf("details = %v, want the order, the venue code and the required balance", details)
	}

	w.trader.err = venues.Errorf(venues.CodeDuplicateRequest, "m").
		With("orderId", "ord_1").With("status", "open").With("order", record).With("sameBody", true)
	details = w.do(http.MethodPost, "/v1/orders", key, marketOrder).want(http.StatusConflict, venues.CodeDuplicateRequest).error().Details
	order, _ = details["order"].(map[string]any)
	if details["orderId"] != "ord_1" || details["status"] != "open" || details["sameBody"] != true || order["symbol"] != "BTCUSDT" {
		t.Errorf("details = %v, want the first order", details)
	}

	for code, status := range map[venues.Code]int{
		venues.CodeSymbolNotTradable: 422, venues.CodeOrderRejected: 422, venues.CodeTradingLocked: 422, venues.CodeRiskRejected: 422,
		venues.CodeExchangeUnavailable: 502, venues.CodeNotFound: 404, venues.CodeInvalidRequest: 400,
	} {
		w.trader.err = venues.Errorf(code, "m")
		w.do(http.MethodPost, "/v1/orders", key, marketOrder).want(status, code)
	}
	busy := venues.Errorf(venues.CodeMaintenance, "starting")
	busy.RetryAfter = 1500 * time.Millisecond
	w.trader.err = busy
	if got := w.do(http.MethodPost, "/v1/orders", key, marketOrder).want(503, venues.CodeMaintenance); got.header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After = %q, want 2", got.header.Get("Retry-After"))
	}
}

// Internal errors are logged once, with the request id of the response, and not shown
// to the client.
func TestInternalErrorsAreLoggedAndHidden(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	for name, cause := range map[string]func(){
		"error": func() { w.trader.err = errors.New("password=hunter2") },
		"panic": func() { w.trader.hook = func(context.Context, any) { panic("password=hunter2") } },
	} {
		w.trader.err, w.trader.hook = nil, nil
		cause()
		w.logs.TakeAll()
		got := w.do(http.MethodPost, "/v1/orders", key, marketOrder).want(500, venues.CodeInternal)
		if strings.Contains(string(got.body), "hunter2") || strings.Contains(string(got.body), "goroutine") {
			t.Errorf("%s: body = %s, want it without the cause", name, got.body)
		}
		entries := w.logs.TakeAll()
		if len(entries) != 1 || entries[0].ContextMap()["request_id"] != got.header.Get("X-Request-Id") ||
			!strings.Contains(fmt.Sprint(entries[0].ContextMap()["error"]), "hunter2") {
			t.Errorf("%s: log = %v, want one entry with the request id and the cause", name, entries)
		}
	}
	w.trader.hook = nil
	w.trader.err = context.DeadlineExceeded
	if got := w.do(http.MethodPost, "/v1/orders", key, marketOrder).want(500, venues.CodeInternal); !strings.Contains(got.error().Message, "requestId") {
		t.Errorf("message = %q, want it to name the requestId", got.error().Message)
	}
	w.trader.err = fmt.Errorf("read: %w", persistence.ErrUnavailable)
	if got := w.do(http.MethodPost, "/v1/orders", key, marketOrder).want(503, venues.CodeMaintenance); got.header.Get("Retry-After") == "" {
		t.Error("Retry-After is empty, want seconds")
	}
}

func TestHandlersHaveADeadline(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	w.trader.hook = func(ctx context.Context, command any) {
		deadline, bounded := ctx.Deadline()
		if c, _ := command.(venues.PlaceOrder); !bounded || !deadline.Equal(c.Deadline) {
			t.Errorf("deadline of the context = %v, want that of the command %v", deadline, c.Deadline)
		}
	}
	w.do(http.MethodPost, "/v1/orders", w.key("cus_1", persistence.ScopeTrade), marketOrder).want(http.StatusCreated)
}

func TestAmendAndCancel(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	if got := w.do(http.MethodPatch, "/v1/orders/ord_1", key, `{"price":"5","qty":"2"}`).want(200).object(); got["orderId"] != "ord_1" {
		t.Errorf("order = %v, want ord_1", got)
	}
	a, _ := w.trader.last().(venues.AmendOrder)
	if a.OrderID != "ord_1" || a.Customer != "cus_1" || !venues.EqualOptional(a.Price, some("5")) || !venues.EqualOptional(a.Qty, some("2")) || a.StopLoss.Valid {
		t.Errorf("command = %+v, want price 5 and qty 2 of ord_1", a)
	}
	w.do(http.MethodPatch, "/v1/orders/ord_1", key, `{}`).wantFieldErrors("body missing")
	w.do(http.MethodDelete, "/v1/orders/ord_1", key, "").want(200)
	if c, _ := w.trader.last().(venues.CancelOrder); c.OrderID != "ord_1" || c.Customer != "cus_1" {
		t.Errorf("command = %+v, want ord_1 of cus_1", c)
	}
	w.trader.err = venues.Errorf(venues.CodeNotFound, "not active").With("status", "filled")
	for _, method := range []string{http.MethodPatch, http.MethodDelete} {
		if got := w.do(method, "/v1/orders/ord_1", key, `{"qty":"2"}`).want(404, venues.CodeNotFound); got.error().Details["status"] != "filled" {
			t.Errorf("%s: error = %s, want status filled", method, got.body)
		}
	}
}

func TestCancelAll(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	w.trader.results = []venues.CancelResult{
		{OrderID: "ord_1", Exchange: venues.Binance, Symbol: "BTCUSDT", Result: venues.CancelDone},
		{OrderID: "ord_2", Exchange: venues.Binance, Symbol: "BTCUSDT", Result: venues.CancelUnknown, Error: venues.Errorf(venues.CodeExchangeUnavailable, "m")},
	}
	for _, c := range []struct {
		query, body string
		want        venues.CancelOrders
	}{
		{"", "", venues.CancelOrders{}},
		{"", "{}", venues.CancelOrders{}},
		{"?exchange=bybit", "", venues.CancelOrders{Exchange: venues.Bybit}},
		{"?symbol=btcusdt.p", "", venues.CancelOrders{Symbol: "BTCUSDT"}},
		{"?exchange=bybit&symbol=BTCUSDT-25SEP26", "", venues.CancelOrders{Exchange: venues.Bybit, Symbol: "BTCUSDT-260925"}},
		{"", `{"exchange":"binance","symbol":"ETHUSDT"}`, venues.CancelOrders{Exchange: venues.Binance, Symbol: "ETHUSDT"}},
	} {
		got := w.do(http.MethodDelete, "/v1/orders"+c.query, key, c.body).want(200).page()
		if len(got.Items) != 2 || got.Items[1]["result"] != "unknown" {
			t.Errorf("%s %s: results = %v, want two, the second unknown", c.query, c.body, got)
		}
		command, _ := w.trader.last().(venues.CancelOrders)
		if command.Exchange != c.want.Exchange || command.Symbol != c.want.Symbol || command.Customer != "cus_1" {
			t.Errorf("%s %s: command = %+v, want %+v", c.query, c.body, command, c.want)
		}
	}
	sent := len(w.trader.commands)
	w.do(http.MethodDelete, "/v1/orders?exchange=okx", key, `{"symbol":"ETHUSDT"}`).wantFieldErrors("body not_applicable")
	w.do(http.MethodDelete, "/v1/orders?sybmol=ETHUSDT", key, "").wantFieldErrors("sybmol unknown_name")
	w.do(http.MethodDelete, "/v1/orders?symbol=", key, "").wantFieldErrors("symbol not_a_symbol")
	w.do(http.MethodDelete, "/v1/orders", key, `{"sybmol":"ETHUSDT"}`).wantFieldErrors("sybmol unknown_name")
	w.do(http.MethodDelete, "/v1/orders", key, `[]`).wantFieldErrors("body wrong_type")
	w.do(http.MethodDelete, "/v1/orders?exchange=nowhere", key, "").wantFieldErrors("exchange unknown_value")
	if len(w.trader.commands) != sent {
		t.Errorf("%d commands, want no more than %d: a rejected request was executed", len(w.trader.commands), sent)
	}
}

func TestLeverageAndClose(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	got := w.do(http.MethodPost, "/v1/positions/leverage", key, `{"exchange":"binance","symbol":"btc-usdt-swap","leverage":"5"}`).want(200).object()
	if got["leverage"] != "5" || got["previousLeverage"] != nil {
		t.Errorf("response = %v, want leverage 5 and no previous one", got)
	}
	if c, _ := w.trader.last().(venues.ChangeLeverage); c.Symbol != "BTCUSDT" || c.Customer != "cus_1" || c.Leverage.String() != "5" {
		t.Errorf("command = %+v, want leverage 5 of BTCUSDT", c)
	}
	w.do(http.MethodPost, "/v1/positions/close", key, `{"exchange":"bybit","symbol":"BTCUSDT","qty":"0.1","requestId":"x"}`).want(201)
	c, _ := w.trader.last().(venues.ClosePosition)
	if c.Exchange != venues.Bybit || c.Customer != "cus_1" || !venues.EqualOptional(c.Qty, some("0.1")) || c.RequestID != "x" || len(c.BodyHash) != 32 {
		t.Errorf("command = %+v, want 0.1 on bybit", c)
	}
	w.trader.err = venues.Errorf(venues.CodeLeverageChangeRejected, "m").With("reason", "above_max").With("maxLeverage", "125")
	w.do(http.MethodPost, "/v1/positions/leverage", key, `{"exchange":"binance","symbol":"BTCUSDT","leverage":"500"}`).
		want(422, venues.CodeLeverageChangeRejected)
}

// Bodies must be uncompressed JSON.
func TestContentTypeAndEncoding(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	for header, want := range map[string]string{
		"Content-Type: text/plain": "Content-Type not_applicable", "Content-Type: application/x-www-form-urlencoded": "Content-Type not_applicable",
		"Content-Type: multipart/form-data; boundary=x": "Content-Type not_applicable", "Content-Type: ;": "Content-Type not_applicable",
		"Content-Encoding: gzip": "Content-Encoding not_applicable", "Content-Encoding: br, gzip": "Content-Encoding not_applicable",
	} {
		w.do(http.MethodPost, "/v1/orders", key, marketOrder, header).wantFieldErrors(want)
	}
	for _, header := range []string{"Content-Type: application/json; charset=utf-8", "Content-Type: Application/JSON", "Content-Encoding: identity"} {
		w.do(http.MethodPost, "/v1/orders", key, marketOrder, header).want(http.StatusCreated)
	}
}

func TestBadOrdersDoNotReachTheTrader(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	for body, want := range map[string]string{
		"":                      "body missing",
		"{":                     "body malformed",
		marketOrder + "x":       "body malformed",
		`{"qty":"1","qty":"2"}`: "qty duplicate",
		strings.Replace(marketOrder, `"qty":"0.5"`, `"qty":0.5`, 1):                      "qty wrong_type",
		strings.Replace(marketOrder, `"qty":"0.5"`, `"qty":"5e-1"`, 1):                   "qty not_a_decimal",
		strings.Replace(marketOrder, `"qty":"0.5"`, `"qty":"0.5","QTY":"100"`, 1):        "QTY wrong_case",
		strings.Replace(marketOrder, `"binance"`, `"nowhere"`, 1):                        "exchange unknown_value",
		strings.Replace(marketOrder, `"r-1"`, `"`+strings.Repeat("r", 65)+`"`, 1):        "requestId malformed",
		strings.Replace(marketOrder, `"comment":"c"`, `"comment":"`+"\xff"+`"`, 1):       "body malformed",
		strings.Replace(marketOrder, `"comment":"c"`, `"x":`+strings.Repeat("[", 50), 1): "body malformed",
	} {
		got := w.do(http.MethodPost, "/v1/orders", key, body).want(400, venues.CodeInvalidRequest)
		if errs := got.fieldErrors(); len(errs) != 1 || errs[0] != want && errs[0] != "body too_deep" {
			t.Errorf("%.80s: field errors = %q, want %q", body, errs, want)
		}
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
}

// Unknown fields are ignored, even thousands of them.
func TestUnknownFieldsAreIgnored(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(marketOrder, "}"))
	for i := range 5_000 {
		fmt.Fprintf(&b, `,"x%d":{"y":[1,null,"z"]}`, i)
	}
	b.WriteString("}")
	w.do(http.MethodPost, "/v1/orders", w.key("cus_1", persistence.ScopeTrade), b.String()).want(http.StatusCreated)
}

func TestObserveReceivesEveryResponse(t *testing.T) {
	var observed []string
	w := newWorld(t, func(d *rest.Deps) {
		d.Observe = func(method, path string, status int, took time.Duration) {
			if took < 0 {
				t.Errorf("took = %v, want it not negative", took)
			}
			observed = append(observed, fmt.Sprintf("%s %s %d", method, path, status))
		}
	})
	w.server.Mount(http.MethodPost, "/mounted/:id", func(c *fiber.Ctx) error {
		if c.Params("id") == "a" {
			panic("a bug of a mounted handler")
		}
		return c.SendStatus(http.StatusAccepted)
	})
	withOrder(w)
	w.do(http.MethodGet, "/v1/orders/ord_1", w.key("cus_1", persistence.ScopeRead), "").want(200)
	w.do(http.MethodGet, "/v1/orders/ord_1", "", "").want(401)
	w.do(http.MethodHead, "/v1/time", "", "")
	w.do(http.MethodGet, "/v1/anything", "", "").want(404)
	w.do(http.MethodPut, "/v1/orders", "", "").want(404)
	for _, path := range []string{"/mounted/a", "/mounted/b"} {
		resp, err := w.server.App().Test(httptest.NewRequest(http.MethodPost, path, http.NoBody), -1)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	want := []string{
		"GET /v1/orders/:id 200", "GET /v1/orders/:id 401", "HEAD /v1/time 200", "GET none 404", "PUT none 404", "POST /mounted/:id 500", "POST /mounted/:id 202",
	}
	if !slices.Equal(observed, want) {
		t.Errorf("observed = %q, want %q", observed, want)
	}
}
