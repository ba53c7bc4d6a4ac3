package admin_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

const testCredentials = `"apiKey":"k","apiSecret":"s"`

// account connects an account and returns its id.
func (h *fixture) account(customer string) string {
	h.t.Helper()
	return h.call(http.StatusCreated, "POST", "/admin/v1/accounts", `{"customer":"`+customer+`","exchange":"binance",`+testCredentials+`}`).id()
}

func TestLimitsAreValidatedAndKeptOnReconnect(t *testing.T) {
	h := open(t)
	id := h.account(h.customer("Alice"))
	path := "/admin/v1/accounts/" + id
	a := h.call(http.StatusOK, "PATCH", path, `{"limits":{"dailyLoss":"500.50","maxOrderNotional":"10000","maxOpenOrders":50}}`)
	if want := `"limits":{"dailyLoss":"500.5","maxOrderNotional":"10000","maxOpenOrders":50}`; !strings.Contains(a.text, want) {
		t.Errorf("account = %s, want %s in it", a.text, want)
	}
	for _, bad := range []string{
		`{"dailyLoss":"-1"}`, `{"dailyLoss":"0"}`, `{"dailyLoss":"1e3"}`, `{"dailyLoss":500}`, `{"maxOrderNotional":"x"}`,
		`{"maxOpenOrders":0}`, `{"maxOpenOrders":-1}`, `{"maxOpenOrders":2000000}`, `{"max":"1"}`,
	} {
		h.call(http.StatusBadRequest, "PATCH", path, `{"limits":`+bad+`}`)
	}
	// Connected again with other credentials it keeps the limits.
	h.account(strings.TrimSuffix(id, ":binance"))
	if a := h.call(http.StatusOK, "GET", path, ""); !strings.Contains(a.text, `"dailyLoss":"500.5"`) {
		t.Errorf("account connected again = %s, want the same limits", a.text)
	}
	if a := h.call(http.StatusOK, "PATCH", path, `{"limits":{}}`); !strings.Contains(a.text, `"limits":{"dailyLoss":null,"maxOrderNotional":null,"maxOpenOrders":null}`) {
		t.Errorf("account = %s, want no limits", a.text)
	}
	if got := strings.Join(h.service.Calls, ", "); got != "configure "+id+", configure "+id {
		t.Errorf("calls = %s, want two of configure", got)
	}
}

func TestHaltIsKeptOnReconnectAndEndedByResume(t *testing.T) {
	h := open(t)
	id := h.account(h.customer("Alice"))
	path := "/admin/v1/accounts/" + id
	a := h.call(http.StatusOK, "POST", path+"/halt", `{"flatten":true}`)
	if a.field("halted") != true || !strings.Contains(a.text, `"halt":{"done":true,"openOrders":0,"openPositions":1}`) {
		t.Errorf("halted account = %s, want the report", a.text)
	}
	if record := h.service.Accounts[len(h.service.Accounts)-1]; !record.Halted || !record.Flatten || len(record.Sealed) == 0 {
		t.Errorf("record = %+v, want a connected one halted with flatten", record)
	}
	h.account(strings.TrimSuffix(id, ":binance"))
	if a := h.call(http.StatusOK, "GET", path, ""); a.field("halted") != true {
		t.Errorf("account connected again = %s, want halted true", a.text)
	}
	if a := h.call(http.StatusOK, "POST", path+"/resume", ""); a.field("halted") != false {
		t.Errorf("resumed account = %s, want halted false", a.text)
	}
	if record := h.service.Accounts[len(h.service.Accounts)-1]; record.Halted || record.Flatten {
		t.Errorf("record = %+v, want no halt", record)
	}
	h.call(http.StatusNotFound, "POST", "/admin/v1/accounts/"+strings.Replace(id, "binance", "okx", 1)+"/halt", `{}`)
	var actions []string
	rows := h.journal()
	slices.SortFunc(rows, func(a, b persistence.JournalEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, row := range rows {
		for _, f := range row.Fields {
			if f.Name == "action" && row.Kind == "admin.account" {
				actions = append(actions, f.Value)
			}
		}
	}
	if got := strings.Join(actions, " "); got != "connect halt connect resume" {
		t.Errorf("journal actions = %s, want connect halt connect resume", got)
	}
}

func TestLockIsListedAndUnlocked(t *testing.T) {
	h := open(t)
	customer := h.customer("Alice")
	id := h.account(customer)
	until := venues.At(time.Now().Add(time.Hour))
	risk := persistence.RiskRecord{Customer: customer, Exchange: venues.Binance, Lock: &persistence.RiskLock{
		Limit: "daily_loss", Threshold: venues.MustDecimal("500"), Actual: venues.MustDecimal("512.25"), Until: until,
	}}
	if err := h.service.Put(t.Context(), risk); err != nil {
		t.Fatal(err)
	}
	want := `"lock":{"limit":"daily_loss","threshold":"500","actual":"512.25","until":`
	for _, path := range []string{"/admin/v1/accounts/" + id, "/admin/v1/accounts"} {
		if a := h.call(http.StatusOK, "GET", path, ""); !strings.Contains(a.text, want) {
			t.Errorf("%s: response = %s, want %s in it", path, a.text, want)
		}
	}
	h.call(http.StatusOK, "POST", "/admin/v1/accounts/"+id+"/unlock", "")
	if got := strings.Join(h.service.Calls, ", "); got != "unlock "+id {
		t.Errorf("calls = %s, want unlock %s", got, id)
	}
}

// blockingExaminer calls block before it examines.
type blockingExaminer struct {
	registry.Examiner
	block func()
}

func (e blockingExaminer) Examine(ctx context.Context, exchange venues.Venue, c venues.Credentials) []registry.CheckResult {
	e.block()
	return e.Examiner.Examine(ctx, exchange, c)
}

// Only the call that waits for a venue or a messenger is delayed.
func TestHaltIsNotDelayedByACallThatHangs(t *testing.T) {
	var hangs atomic.Bool
	blocked, release := make(chan struct{}), make(chan struct{})
	block := func() {
		if hangs.Load() {
			blocked <- struct{}{}
			<-release
		}
	}
	h := open(t, func(o *registry.Options) {
		o.Examiner = blockingExaminer{o.Examiner, block}
		chat := o.Targets[persistence.EndpointTelegram]
		o.Targets[persistence.EndpointTelegram] = registry.Target{Check: chat.Check, Reach: func(ctx context.Context, e persistence.Endpoint) error {
			block()
			return chat.Reach(ctx, e)
		}}
	})
	customer := h.customer("desk")
	id := h.account(customer)
	bot := fmt.Sprintf(`{"customer":%q,"kind":"telegram","target":"-100","secret":"bot"}`, customer)
	endpoint := "/admin/v1/endpoints/" + h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", bot).id()
	hangs.Store(true)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/admin/v1/endpoints", bot, http.StatusCreated},
		{"PATCH", endpoint, `{"target":"-200"}`, http.StatusOK},
		{"POST", endpoint + "/rotate", `{"secret":"other"}`, http.StatusOK},
		{"POST", "/admin/v1/accounts", fmt.Sprintf(`{"customer":%q,"exchange":"binance",%s}`, customer, testCredentials), http.StatusCreated},
		{"PATCH", "/admin/v1/accounts/" + id, "{" + testCredentials + "}", http.StatusOK},
	} {
		request, done := h.request(c.method, c.path, c.body), make(chan int, 1)
		go func() {
			response, err := h.client.Do(request)
			if err != nil {
				done <- 0
				return
			}
			response.Body.Close()
			done <- response.StatusCode
		}()
		<-blocked
		h.call(http.StatusOK, "POST", "/admin/v1/accounts/"+id+"/halt", `{}`)
		release <- struct{}{}
		if status := <-done; status != c.status {
			t.Errorf("%s %s: status = %d, want %d", c.method, c.path, status, c.status)
		}
	}
}

// All accounts of a customer are halted, also if one of them fails.
func TestHaltOfAllAccounts(t *testing.T) {
	h := open(t, func(o *registry.Options) { o.Environments[venues.OKX], o.Environments[venues.Bybit] = "sim", "sim" })
	customer, other := h.customer("Alice"), h.customer("Bob")
	for _, exchange := range []string{"okx", "bybit"} {
		h.call(http.StatusCreated, "POST", "/admin/v1/accounts", `{"customer":"`+customer+`","exchange":"`+exchange+`",`+testCredentials+`}`)
	}
	h.account(customer)
	h.account(other)
	h.service.HaltErr = map[venues.Venue]error{venues.OKX: venues.Errorf(venues.CodeMaintenance, "okx is away"), venues.Bybit: errors.New("a secret")}
	a := h.call(http.StatusOK, "POST", "/admin/v1/halt", `{"customer":"`+customer+`","flatten":true}`)
	for _, want := range []string{
		`{"account":"` + customer + `:binance","exchange":"binance","halt":{"done":true,"openOrders":0,"openPositions":1},"error":null}`,
		`{"account":"` + customer + `:okx","exchange":"okx","halt":null,"error":{"code":"maintenance","message":"okx is away"}}`,
		`"error":{"code":"internal_error","message":"the call failed; see the log"}`,
	} {
		if !strings.Contains(a.text, want) {
			t.Errorf("results = %s, want %s in them", a.text, want)
		}
	}
	for id, want := range map[string]any{customer + ":binance": true, customer + ":okx": true, customer + ":bybit": true, other + ":binance": false} {
		if got := h.call(http.StatusOK, "GET", "/admin/v1/accounts/"+id, "").field("halted"); got != want {
			t.Errorf("%s: halted = %v, want %v", id, got, want)
		}
	}
	h.call(http.StatusBadRequest, "POST", "/admin/v1/halt", `{"flatten":true}`)
	h.call(http.StatusNotFound, "POST", "/admin/v1/halt", `{"customer":"cus_none"}`)
}

// The checks of credentials are those of a connection, and nothing is kept.
func TestExamineKeepsNothing(t *testing.T) {
	h := open(t)
	customer := h.customer("Alice")
	h.examiner.Results = []registry.CheckResult{
		{Check: "reachable", Status: registry.CheckOK, Text: "binance responds"},
		{Check: "permissions", Status: registry.CheckFailed, Text: "the key may withdraw money", Advice: "remove that permission"},
	}
	body := `{"customer":"` + customer + `","exchange":"binance",` + testCredentials + `}`
	a := h.call(http.StatusOK, "POST", "/admin/v1/accounts/examine", body)
	if want := `{"items":[{"check":"reachable","status":"ok","text":"binance responds"},{"check":"permissions","status":"failed","text":"the key may withdraw money","advice":"remove that permission"}]}`; a.text != want {
		t.Errorf("results = %s, want %s", a.text, want)
	}
	h.call(http.StatusBadRequest, "POST", "/admin/v1/accounts", body)
	for _, bad := range []string{`"exchange":"okx",` + testCredentials, `"exchange":"binance","apiKey":"k"`, `"exchange":"binance","environment":"live",` + testCredentials} {
		h.call(http.StatusBadRequest, "POST", "/admin/v1/accounts/examine", `{"customer":"`+customer+`",`+bad+`}`)
	}
	if n := len(h.service.Accounts); n != 0 {
		t.Errorf("%d accounts were put, want 0", n)
	}
	if got := fmt.Sprint(h.examiner.Examined); got != "[binance k binance k]" {
		t.Errorf("examined %s, want the key twice, once to connect", got)
	}
	for _, row := range h.journal() {
		if row.Kind == "admin.account" {
			t.Errorf("journal row %+v, want none", row)
		}
	}
}

// What is not known is null, never zero.
func TestRiskOfAnAccount(t *testing.T) {
	h := open(t)
	id := h.account(h.customer("Alice"))
	h.call(http.StatusOK, "PATCH", "/admin/v1/accounts/"+id, `{"limits":{"dailyLoss":"500"}}`)
	a := h.call(http.StatusOK, "GET", "/admin/v1/accounts/"+id+"/risk", "")
	for _, want := range []string{`"dailyLoss":"500"`, `"realized":"-10.5","fees":"0.5","unrealizedChange":null,"forgiven":"0","loss":null,"remaining":null,`, `"halt":null`, `"lock":null`} {
		if !strings.Contains(a.text, want) {
			t.Errorf("risk = %s, want %s in it", a.text, want)
		}
	}
	h.call(http.StatusNotFound, "GET", "/admin/v1/accounts/"+strings.Replace(id, "binance", "okx", 1)+"/risk", "")
}
