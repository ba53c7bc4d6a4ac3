package admin_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

func (a answer) str(path ...string) string {
	text, _ := a.field(path...).(string)
	return text
}

const rulesBody = `"rules":{"symbols":["eth-usdt","BTCUSDT","btcusdt"],"maxQty":"0.50","stopRequired":true,"opposite":"reverse","maxAgeSec":30}`

// The secrets are only in the responses to the calls that made them.
func TestHookFromCreateToRemove(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot","testMode":true,%s}`, customer, rulesBody))
	secret := made.str("secret")
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+43 || made.str("url") != "https://h/"+made.id()+"/" {
		t.Fatalf("created hook = %s, want a secret and its url", made.text)
	}
	if got := made.text; !strings.Contains(got, `"rules":{"symbols":["BTCUSDT","ETHUSDT"],"maxQty":"0.5","stopRequired":true,"opposite":"reverse","maxAgeSec":30}`) {
		t.Errorf("created hook = %s, want normalized rules", got)
	}
	path := "/admin/v1/hooks/" + made.id()
	for _, a := range []answer{h.call(http.StatusOK, "GET", path, ""), h.call(http.StatusOK, "GET", "/admin/v1/hooks?customer="+customer, "")} {
		if strings.Contains(a.text, secret) || strings.Contains(a.text, `"secret"`) || !strings.Contains(a.text, made.id()) {
			t.Errorf("hook = %s, want %s without a secret", a.text, made.id())
		}
	}
	changed := h.call(http.StatusOK, "PATCH", path, `{"testMode":false,"paused":true,"rules":{"opposite":"ignore"}}`)
	if changed.field("testMode") != false || changed.field("paused") != true || changed.str("rules", "opposite") != "ignore" || changed.field("rules", "maxQty") != nil {
		t.Errorf("changed hook = %s, want paused, not in test mode, with the new rules", changed.text)
	}
	tested := h.call(http.StatusOK, "POST", path+"/test", `{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.5","requestId":"r0"}`)
	if want := "preview webhook r0 " + customer + ":binance"; len(h.service.Calls) != 1 || h.service.Calls[0] != want {
		t.Errorf("calls of a test = %v, want %s alone", h.service.Calls, want)
	}
	const want = `"rules":[{"rule":"max_position","limit":"1","given":"0.5","passed":true}],"plan":[{"step":"open","exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.5",`
	if !strings.Contains(tested.text, want) || !strings.Contains(tested.text, `"error":{"code":"risk_rejected","message":"the order is opposite`) {
		t.Errorf("tested signal = %s, want %s", tested.text, want)
	}
	h.service.Calls = nil
	fired := h.call(http.StatusAccepted, "POST", path+"/fire", `{"action":"close","exchange":"binance","symbol":"BTCUSDT","requestId":"r1"}`)
	if fired.str("status") != "test" || len(h.service.Calls) != 1 || h.service.Calls[0] != "accept webhook r1 "+customer+":binance" {
		t.Errorf("fired signal = %s with calls %v, want status test and one accepted signal", fired.text, h.service.Calls)
	}
	h.service.SignalErr = venues.Errorf(venues.CodeInternal, "no answer")
	h.call(http.StatusInternalServerError, "POST", path+"/fire", `{"action":"close","exchange":"binance","symbol":"BTCUSDT","requestId":"r2"}`)
	if rows := fmt.Sprint(h.journal()); !strings.Contains(rows, "{requestId r2}") {
		t.Errorf("journal = %s, want a row of the signal whose outcome is not known", rows)
	}
	rotated := h.call(http.StatusOK, "POST", path+"/rotate", `{"overlapSec":60}`)
	record := h.channel(customer)
	if rotated.str("secret") == secret || !strings.HasSuffix(string(record.Previous), secret) || !strings.HasSuffix(string(record.Sealed), rotated.str("secret")) || record.PreviousUntil.Before(time.Now()) {
		t.Errorf("rotated hook = %s with record %+v, want a new secret and the previous one for 60 s", rotated.text, record)
	}
	h.call(http.StatusOK, "POST", path+"/rotate", `{"overlapSec":0}`)
	if record = h.channel(customer); record.Previous != nil || !record.PreviousUntil.IsZero() {
		t.Errorf("record after a rotation without overlap = %+v, want no previous secret", record)
	}
	h.call(http.StatusOK, "DELETE", path, "")
	h.call(http.StatusNotFound, "GET", path, "")
	if record = h.channel(customer); record.RemovedAt.IsZero() || record.Sealed != nil {
		t.Errorf("removed record = %+v, want no secret", record)
	}
	if verified, err := h.registry.VerifyJournal(t.Context()); err != nil || !verified.Intact || verified.Rows != 8 {
		t.Errorf("verified = %+v, %v; want 8 intact rows", verified, err)
	}
	for _, row := range h.journal() {
		if strings.Contains(fmt.Sprint(row), "whsec_") {
			t.Errorf("journal row = %v, want no secret in it", row)
		}
	}
}

func (h *fixture) channel(customer string) persistence.Channel {
	h.t.Helper()
	records, err := h.store.Channels(h.t.Context(), customer)
	if err != nil || len(records) != 1 {
		h.t.Fatalf("channels = %+v, %v; want one", records, err)
	}
	return records[0]
}

func TestChartIsStoredWithHashesOnly(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"chart","name":"chart"}`, customer))
	address, token := made.str("url"), made.str("channelToken")
	if len(token) != 43 || len(address) < 43 || made.str("secret") != "" {
		t.Fatalf("created chart = %s, want url and token", made.text)
	}
	record := h.channel(customer)
	if len(record.TokenHash) != 32 || len(record.AddressHash) != 32 || record.Sealed != nil {
		t.Fatalf("record = %+v, want two hashes and no secret", record)
	}
	if got := h.call(http.StatusOK, "GET", "/admin/v1/hooks/"+made.id(), "").text; strings.Contains(got, "url") || strings.Contains(got, token) {
		t.Errorf("chart = %s, want no url and no token", got)
	}
	rotated := h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+made.id()+"/rotate", `{}`)
	if next := h.channel(customer); rotated.str("channelToken") == token || string(next.TokenHash) == string(record.TokenHash) || string(next.AddressHash) != string(record.AddressHash) {
		t.Errorf("rotated chart = %s, want a new token and the same address", rotated.text)
	}
	h.call(http.StatusBadRequest, "POST", "/admin/v1/hooks/"+made.id()+"/rotate", `{"overlapSec":5}`)
}

func TestErrorsNameTheInvalidField(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot"}`, customer)).id()
	for _, c := range []struct{ path, body, field string }{
		{"hooks", `{"customer":"cus_none","kind":"webhook","name":"x"}`, "customer"},
		{"hooks", `{"customer":C,"kind":"letter","name":"x"}`, "kind"},
		{"hooks", `{"customer":C,"kind":"webhook","name":""}`, "name"},
		{"hooks", `{"customer":C,"kind":"webhook","name":"x","allowRepeats":true}`, "allowRepeats"},
		{"hooks", `{"customer":C,"kind":"webhook","name":"x","allow":["everywhere"]}`, "allow"},
		{"hooks", `{"customer":C,"kind":"webhook","name":"x","rules":{"symbols":["NOPE"]}}`, "rules.symbols"},
		{"hooks", `{"customer":C,"kind":"webhook","name":"x","rules":{"maxQty":"-1"}}`, "rules.maxQty"},
		{"hooks", `{"customer":C,"kind":"webhook","name":"x","rules":{"opposite":"double"}}`, "rules.opposite"},
		{"hooks", `{"customer":C,"kind":"webhook","name":"x","rules":{"maxAgeSec":86401}}`, "rules.maxAgeSec"},
		{"hooks/" + hook + "/rotate", `{"overlapSec":86401}`, "overlapSec"},
		{"endpoints", `{"customer":C,"url":"http://10.0.0.1"}`, "url"},
		{"endpoints", `{"customer":C,"url":"https://r.example","types":["order.imagined"]}`, "types"},
		{"endpoints", `{"customer":C,"url":"https://r.example","types":["notification"]}`, "types"},
		{"endpoints", `{"customer":C,"url":"https://r.example","hookId":"hook_none"}`, "hookId"},
		{"endpoints", `{"customer":C,"url":"https://r.example","secret":"mine"}`, "secret"},
		{"endpoints", `{"customer":C,"kind":"pager","target":"x"}`, "kind"},
		{"endpoints", `{"customer":C,"kind":"telegram","target":"1"}`, "secret"},
		{"alerts", `{"customer":C,"exchange":"ftx","symbol":"BTCUSDT","condition":{"field":"last","op":"above","value":"1"}}`, "exchange"},
		{"alerts", `{"customer":C,"exchange":"binance","symbol":"NOPE","condition":{"field":"last","op":"above","value":"1"}}`, "symbol"},
		{"alerts", `{"customer":C,"exchange":"binance","symbol":"BTCUSDT","condition":{"field":"bid","op":"above","value":"1"}}`, "condition.field"},
		{"alerts", `{"customer":C,"exchange":"binance","symbol":"BTCUSDT","condition":{"field":"last","op":"near","value":"1"}}`, "condition.op"},
		{"alerts", `{"customer":C,"exchange":"binance","symbol":"BTCUSDT","condition":{"field":"last","op":"above","value":"x"}}`, "condition.value"},
	} {
		a := h.call(http.StatusBadRequest, "POST", "/admin/v1/"+c.path, strings.Replace(c.body, "C,", fmt.Sprintf("%q,", customer), 1))
		checkRules(t, a)
		if !strings.Contains(a.text, fmt.Sprintf(`"field":%q`, c.field)) {
			t.Errorf("%s %s: response = %s, want the field %s", c.path, c.body, a.text, c.field)
		}
	}
}

func TestEndpointFromCreateToRemove(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example/x","types":["order.filled","alert.fired"]}`, customer))
	secret, path := made.str("secret"), "/admin/v1/endpoints/"+made.id()
	if !strings.HasPrefix(secret, "whsec_") || made.str("kind") != "webhook" || made.str("url") != "https://r.example/x" || strings.Contains(made.text, `"target"`) {
		t.Fatalf("created endpoint = %s, want a webhook with url and secret", made.text)
	}
	if got := h.call(http.StatusOK, "GET", path, "").text; strings.Contains(got, secret) {
		t.Errorf("endpoint = %s, want no secret", got)
	}
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	rotated := h.call(http.StatusOK, "POST", path+"/rotate", fmt.Sprintf(`{"switchAt":%q}`, later))
	record := h.endpoint(customer)
	if !strings.HasSuffix(string(record.Sealed), secret) || !strings.HasSuffix(string(record.Next), rotated.str("secret")) || record.NextFrom.IsZero() {
		t.Errorf("rotated endpoint = %s with record %+v, want the new secret as the next one", rotated.text, record)
	}
	h.call(http.StatusBadRequest, "POST", path+"/rotate", fmt.Sprintf(`{"switchAt":%q}`, time.Now().Add(25*time.Hour).UTC().Format(time.RFC3339)))
	immediate := h.call(http.StatusOK, "POST", path+"/rotate", `{}`)
	if record = h.endpoint(customer); !strings.HasSuffix(string(record.Sealed), immediate.str("secret")) || record.Next != nil {
		t.Errorf("record after an immediate rotation = %+v, want the new secret and no next one", record)
	}
	if rows := h.call(http.StatusOK, "GET", "/admin/v1/journal?kind=admin.endpoint", "").text; strings.Contains(rows, "0001-01-01") {
		t.Errorf("rows = %s, want no zero time", rows)
	}
	h.call(http.StatusOK, "GET", path+"/deliveries?status=undelivered", "")
	h.call(http.StatusBadRequest, "GET", path+"/deliveries?status=lost", "")
	h.call(http.StatusBadRequest, "GET", path+"/deliveries?type=order.lost", "")
	h.call(http.StatusBadRequest, "GET", "/admin/v1/deliveries", "")
	h.call(http.StatusNotFound, "GET", path+"/deliveries/evt_1", "")
	if a := h.call(http.StatusOK, "POST", path+"/test", ""); a.field("delivered") != false || a.str("error") != "answered 500" || a.field("durationMs") != float64(1000) {
		t.Errorf("test = %s, want not delivered with the error and 1000 ms", a.text)
	}
	if a := h.call(http.StatusOK, "POST", path+"/resend", `{"all":true}`); a.field("resent") != float64(3) {
		t.Errorf("resent = %s, want 3", a.text)
	}
	h.call(http.StatusOK, "POST", path+"/resend", `{"eventId":"evt_1"}`)
	h.call(http.StatusBadRequest, "POST", path+"/resend", `{}`)
	h.call(http.StatusBadRequest, "POST", path+"/resend", `{"eventId":"evt_1","all":true}`)
	if a := h.call(http.StatusOK, "PATCH", path, `{"paused":true,"types":[]}`); a.field("paused") != true || !strings.Contains(a.text, `"types":[]`) {
		t.Errorf("changed endpoint = %s, want paused for all types", a.text)
	}
	h.call(http.StatusOK, "DELETE", path, "")
	h.call(http.StatusNotFound, "POST", path+"/test", "")
}

func TestEndpointOfARemovedHookCanBeChanged(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"h"}`, customer))
	made := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example/x","hookId":%q}`, customer, hook.id()))
	h.call(http.StatusOK, "DELETE", "/admin/v1/hooks/"+hook.id(), "")
	if a := h.call(http.StatusOK, "PATCH", "/admin/v1/endpoints/"+made.id(), `{"paused":true,"name":"old"}`); a.field("paused") != true || a.str("name") != "old" {
		t.Errorf("changed endpoint = %s, want paused with the name old", a.text)
	}
}

func (h *fixture) endpoint(customer string) persistence.Endpoint {
	h.t.Helper()
	records, err := h.store.Endpoints(h.t.Context(), customer)
	if err != nil || len(records) != 1 {
		h.t.Fatalf("endpoints = %+v, %v; want one", records, err)
	}
	return records[0]
}

func TestUnreachableEndpointIsRejected(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	body := fmt.Sprintf(`{"customer":%q,"kind":"telegram","target":"-100","secret":"bot"}`, customer)
	h.unreachable = venues.InvalidFields(venues.FieldError{Field: "target", Rule: "the bot is no administrator of the group"})
	if a := h.call(http.StatusBadRequest, "POST", "/admin/v1/endpoints", body); !strings.Contains(a.text, "no administrator") {
		t.Errorf("response = %s, want the error of the target", a.text)
	}
	h.unreachable = errors.New("no route")
	h.call(http.StatusServiceUnavailable, "POST", "/admin/v1/endpoints", body)
	h.unreachable = nil
	if a := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", body); a.str("target") != "-100" || strings.Contains(a.text, "secret") {
		t.Errorf("created endpoint = %s, want target -100 without a secret", a.text)
	}
}

func TestAlertFromCreateToRemove(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/alerts", fmt.Sprintf(
		`{"customer":%q,"exchange":"binance","symbol":"btc-usdt","condition":{"field":"mark","op":"crosses_above","value":"60000.0"},"repeat":true,"comment":"up"}`, customer))
	if made.str("symbol") != "BTCUSDT" || made.str("status") != "armed" || made.str("condition", "value") != "60000" {
		t.Fatalf("created alert = %s, want an armed one with normalized values", made.text)
	}
	path := "/admin/v1/alerts/" + made.id()
	if a := h.call(http.StatusOK, "PATCH", path, `{"status":"paused","condition":{"field":"last","op":"below","value":"1"}}`); a.str("status") != "paused" || a.str("condition", "op") != "below" {
		t.Errorf("changed alert = %s, want a paused one below", a.text)
	}
	h.call(http.StatusBadRequest, "PATCH", path, `{"status":"fired"}`)
	h.call(http.StatusOK, "DELETE", path, "")
	h.call(http.StatusNotFound, "GET", path, "")
	if a := h.call(http.StatusOK, "GET", "/admin/v1/alerts", ""); a.text != `{"items":[]}` {
		t.Errorf("alerts = %s, want none", a.text)
	}
}

func TestRecordsOfACustomerAreLimited(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	for kind, c := range map[string]struct {
		max  int
		body string
	}{
		"hooks":     {100, `{"customer":%q,"kind":"chart","name":"x"}`},
		"endpoints": {50, `{"customer":%q,"url":"https://r.example"}`},
	} {
		body := fmt.Sprintf(c.body, customer)
		var last string
		for range c.max {
			last = h.call(http.StatusCreated, "POST", "/admin/v1/"+kind, body).id()
		}
		if a := h.call(http.StatusBadRequest, "POST", "/admin/v1/"+kind, body); a.field("error", "details", "limit") != float64(c.max) {
			t.Errorf("%s past the limit: response = %s, want the limit %d", kind, a.text, c.max)
		}
		h.call(http.StatusOK, "DELETE", "/admin/v1/"+kind+"/"+last, "")
		h.call(http.StatusCreated, "POST", "/admin/v1/"+kind, body)
	}
}

// Expired secrets are removed when a record is next written: a rotation does not open
// them.
func TestRotationDropsExpiredSecrets(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot"}`, customer))
	h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example"}`, customer))
	expired := venues.At(time.Now().Add(-time.Second))
	channel, endpoint := h.channel(customer), h.endpoint(customer)
	channel.Previous, channel.PreviousUntil = []byte("broken"), expired
	endpoint.Sealed, endpoint.Next, endpoint.NextFrom = []byte("broken"), endpoint.Sealed, expired
	for _, record := range []persistence.Record{channel, endpoint} {
		if err := h.service.Put(t.Context(), record, persistence.JournalEntry{ID: "jrn_" + record.Key().ID, At: expired}); err != nil {
			t.Fatal(err)
		}
	}
	h.call(http.StatusOK, "POST", "/admin/v1/rotate-key", "")
	if c, e := h.channel(customer), h.endpoint(customer); c.Previous != nil || !strings.HasPrefix(string(e.Sealed), "1|") || e.Next != nil {
		t.Errorf("previous = %s, sealed = %s, next = %s; want the next one sealed with the new key alone", c.Previous, e.Sealed, e.Next)
	}
}

func TestRotatedKeySealsEverything(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot"}`, customer))
	h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+hook.id()+"/rotate", `{}`)
	h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example"}`, customer))
	if a := h.call(http.StatusOK, "POST", "/admin/v1/rotate-key", ""); a.text != `{"accounts":0,"hooks":1,"endpoints":1,"users":0}` {
		t.Fatalf("rotated = %s, want 1 hook and 1 endpoint", a.text)
	}
	channel, endpoint := h.channel(customer), h.endpoint(customer)
	for _, sealed := range [][]byte{channel.Sealed, channel.Previous, endpoint.Sealed} {
		if !strings.HasPrefix(string(sealed), "1|") {
			t.Errorf("sealed = %s, want it sealed with the new key", sealed)
		}
	}
	if !strings.HasSuffix(string(channel.Previous), hook.str("secret")) {
		t.Errorf("previous = %s, want the same secret", channel.Previous)
	}
}
