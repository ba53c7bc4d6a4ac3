package admin_test

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const testCredentials = `"apiKey":"k","apiSecret":"s"`

// account connects one and gives its id.
func (h *house) account(customer string) string {
	h.t.Helper()
	return h.call(http.StatusCreated, "POST", "/admin/v1/accounts", `{"customer":"`+customer+`","exchange":"binance",`+testCredentials+`}`).id()
}

func TestLimits(t *testing.T) {
	h := open(t)
	id := h.account(h.customer("Alice"))
	path := "/admin/v1/accounts/" + id
	a := h.call(http.StatusOK, "PATCH", path, `{"limits":{"dailyLoss":"500.50","maxOrderNotional":"10000","maxOpenOrders":50}}`)
	if want := `"limits":{"dailyLoss":"500.5","maxOrderNotional":"10000","maxOpenOrders":50}`; !strings.Contains(a.text, want) {
		t.Errorf("%s lacks %s", a.text, want)
	}
	for _, bad := range []string{
		`{"dailyLoss":"-1"}`, `{"dailyLoss":"0"}`, `{"dailyLoss":"1e3"}`, `{"dailyLoss":500}`, `{"maxOrderNotional":"x"}`,
		`{"maxOpenOrders":0}`, `{"maxOpenOrders":-1}`, `{"maxOpenOrders":2000000}`, `{"max":"1"}`,
	} {
		h.call(http.StatusBadRequest, "PATCH", path, `{"limits":`+bad+`}`)
	}
	// Connected again, with other credentials, it is under the same limits.
	h.account(strings.TrimSuffix(id, ":binance"))
	if a := h.call(http.StatusOK, "GET", path, ""); !strings.Contains(a.text, `"dailyLoss":"500.5"`) {
		t.Errorf("connected again: %s", a.text)
	}
	if a := h.call(http.StatusOK, "PATCH", path, `{"limits":{}}`); !strings.Contains(a.text, `"limits":{"dailyLoss":null,"maxOrderNotional":null,"maxOpenOrders":null}`) {
		t.Errorf("without limits: %s", a.text)
	}
	if got := strings.Join(h.directory.calls, ", "); got != "configure "+id+", configure "+id {
		t.Errorf("told: %s", got)
	}
}

func TestHaltAndResume(t *testing.T) {
	h := open(t)
	id := h.account(h.customer("Alice"))
	path := "/admin/v1/accounts/" + id
	a := h.call(http.StatusOK, "POST", path+"/halt", `{"flatten":true}`)
	if a.field("halted") != true || !strings.Contains(a.text, `"halt":{"done":true,"openOrders":0,"openPositions":1}`) {
		t.Errorf("halted: %s", a.text)
	}
	if record := h.directory.accounts[len(h.directory.accounts)-1]; !record.Halted || !record.Flatten || len(record.Sealed) == 0 {
		t.Errorf("record %+v", record)
	}
	h.account(strings.TrimSuffix(id, ":binance"))
	if a := h.call(http.StatusOK, "GET", path, ""); a.field("halted") != true {
		t.Errorf("connecting it again has ended the halt: %s", a.text)
	}
	if a := h.call(http.StatusOK, "POST", path+"/resume", ""); a.field("halted") != false {
		t.Errorf("resumed: %s", a.text)
	}
	if record := h.directory.accounts[len(h.directory.accounts)-1]; record.Halted || record.Flatten {
		t.Errorf("record %+v", record)
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
		t.Errorf("journal: %s", got)
	}
}

func TestUnlock(t *testing.T) {
	h := open(t)
	customer := h.customer("Alice")
	id := h.account(customer)
	until := venues.At(time.Now().Add(time.Hour))
	risk := persistence.RiskRecord{Customer: customer, Exchange: venues.Binance, Lock: &persistence.RiskLock{
		Limit: "daily_loss", Threshold: venues.MustDecimal("500"), Actual: venues.MustDecimal("512.25"), Until: until,
	}}
	batch := persistence.Batch{Fence: h.directory.fences[customer], Puts: []persistence.Record{risk}}
	if err := h.store.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	want := `"lock":{"limit":"daily_loss","threshold":"500","actual":"512.25","until":`
	for _, path := range []string{"/admin/v1/accounts/" + id, "/admin/v1/accounts"} {
		if a := h.call(http.StatusOK, "GET", path, ""); !strings.Contains(a.text, want) {
			t.Errorf("%s lacks %s", a.text, want)
		}
	}
	h.call(http.StatusOK, "POST", "/admin/v1/accounts/"+id+"/unlock", "")
	if got := strings.Join(h.directory.calls, ", "); got != "unlock "+id {
		t.Errorf("told: %s", got)
	}
}
