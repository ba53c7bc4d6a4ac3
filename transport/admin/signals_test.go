package admin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/venues"
)

// sealer seals visibly: under which key, for which record.
type sealer struct{ rotations int }

func (s *sealer) Seal(secret venues.Secret, of persistence.Key) ([]byte, error) {
	return fmt.Appendf(nil, "%d|%s|%s", s.rotations, of, secret.Reveal()), nil
}

func (s *sealer) Open(sealed []byte, of persistence.Key) (venues.Secret, error) {
	parts := strings.SplitN(string(sealed), "|", 3)
	if len(parts) != 3 || parts[1] != of.String() {
		return "", errors.New("sealed for another")
	}
	return venues.Secret(parts[2]), nil
}

func (s *sealer) Rotate() error { s.rotations++; return nil }

func (d *directory) PutPart(ctx context.Context, record persistence.Record, row persistence.JournalEntry) error {
	return d.commit(ctx, record, row)
}

func (d *directory) PutAlert(ctx context.Context, alert persistence.Alert, row persistence.JournalEntry) (persistence.Alert, error) {
	return alert, d.commit(ctx, alert, row)
}

func (d *directory) RecordAccount(ctx context.Context, account persistence.VenueAccount) error {
	return d.PutAccount(ctx, account)
}

func (d *directory) commit(ctx context.Context, record persistence.Record, row persistence.JournalEntry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	customer := record.Key().Customer
	fence, owned := d.fences[customer]
	if !owned {
		var err error
		if fence, err = d.store.TakeOwnership(ctx, customer); err != nil {
			return err
		}
		d.fences[customer] = fence
	}
	last, err := d.store.LastSequence(ctx, customer)
	if err != nil {
		return err
	}
	row.Seq = last + 1
	return d.store.Commit(ctx, persistence.Batch{Fence: fence, Puts: []persistence.Record{record}, Journal: []persistence.JournalEntry{row}})
}

func (d *directory) Accept(_ context.Context, s venues.Signal) (venues.SignalAnswer, error) {
	d.call("accept "+string(s.Source)+" "+s.RequestID, s.Customer, s.Exchange)
	return venues.SignalAnswer{RequestID: s.RequestID, Status: "test"}, d.failure
}

func (d *directory) Resend(_ context.Context, customer, endpoint, eventID string) error {
	d.call("resend "+eventID+" to "+endpoint, customer, "")
	return d.failure
}

func (d *directory) ResendUndelivered(_ context.Context, customer, endpoint string) (int, error) {
	d.call("resend all to "+endpoint, customer, "")
	return 3, d.failure
}

func (d *directory) TestEndpoint(_ context.Context, customer, endpoint string) (admin.EndpointTest, error) {
	d.call("test "+endpoint, customer, "")
	return admin.EndpointTest{EventID: "evt_t", Attempt: persistence.Attempt{Code: 500, Err: errors.New("answered 500"), Answer: []byte("no\xff")}, Took: time.Second}, d.failure
}

func (d *directory) Symbol(_ venues.Venue, text string) (string, bool) {
	symbol := strings.ToUpper(strings.ReplaceAll(text, "-", ""))
	return symbol, symbol == "BTCUSDT" || symbol == "ETHUSDT"
}

func (a answer) str(path ...string) string {
	text, _ := a.field(path...).(string)
	return text
}

const rulesBody = `"rules":{"symbols":["eth-usdt","BTCUSDT","btcusdt"],"maxQty":"0.50","stopRequired":true,"opposite":"reverse","maxAgeSec":30}`

// TestHookLivesFromCreateToRemove: its secrets are in the answers that made them
// and nowhere else.
func TestHookLivesFromCreateToRemove(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot","testMode":true,%s}`, customer, rulesBody))
	secret := made.str("secret")
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+43 || made.str("url") != "https://h/"+made.id()+"/" {
		t.Fatalf("made %s", made.text)
	}
	if got := made.text; !strings.Contains(got, `"rules":{"symbols":["BTCUSDT","ETHUSDT"],"maxQty":"0.5","stopRequired":true,"opposite":"reverse","maxAgeSec":30}`) {
		t.Errorf("rules %s", got)
	}
	path := "/admin/v1/hooks/" + made.id()
	for _, a := range []answer{h.call(http.StatusOK, "GET", path, ""), h.call(http.StatusOK, "GET", "/admin/v1/hooks?customer="+customer, "")} {
		if strings.Contains(a.text, secret) || strings.Contains(a.text, `"secret"`) || !strings.Contains(a.text, made.id()) {
			t.Errorf("shown: %s", a.text)
		}
	}
	changed := h.call(http.StatusOK, "PATCH", path, `{"testMode":false,"paused":true,"rules":{"opposite":"ignore"}}`)
	if changed.field("testMode") != false || changed.field("paused") != true || changed.str("rules", "opposite") != "ignore" || changed.field("rules", "maxQty") != nil {
		t.Errorf("changed: %s", changed.text)
	}
	fired := h.call(http.StatusAccepted, "POST", path+"/test", `{"action":"close","exchange":"binance","symbol":"BTCUSDT","requestId":"r1"}`)
	if fired.str("status") != "test" || len(h.directory.calls) != 1 || h.directory.calls[0] != "accept webhook r1 "+customer+":binance" {
		t.Errorf("fired: %s, %v", fired.text, h.directory.calls)
	}
	rotated := h.call(http.StatusOK, "POST", path+"/rotate", `{"overlapSec":60}`)
	record := h.channel(customer)
	if rotated.str("secret") == secret || !strings.HasSuffix(string(record.Previous), secret) || !strings.HasSuffix(string(record.Sealed), rotated.str("secret")) || record.PreviousUntil.Before(time.Now()) {
		t.Errorf("rotated: %s; %+v", rotated.text, record)
	}
	h.call(http.StatusOK, "POST", path+"/rotate", `{"overlapSec":0}`)
	if record = h.channel(customer); record.Previous != nil || !record.PreviousUntil.IsZero() {
		t.Errorf("rotated at once: %+v", record)
	}
	h.call(http.StatusOK, "DELETE", path, "")
	h.call(http.StatusNotFound, "GET", path, "")
	if record = h.channel(customer); record.RemovedAt.IsZero() || record.Sealed != nil {
		t.Errorf("removed: %+v", record)
	}
	if rows, err := h.registry.Verify(t.Context()); err != nil || rows != 7 {
		t.Errorf("%d rows, %v", rows, err)
	}
	for _, row := range h.journal() {
		if strings.Contains(fmt.Sprint(row), "whsec_") {
			t.Errorf("the journal holds a secret: %v", row)
		}
	}
}

func (h *house) channel(customer string) persistence.Channel {
	h.t.Helper()
	records, err := h.store.Channels(h.t.Context(), customer)
	if err != nil || len(records) != 1 {
		h.t.Fatalf("%+v, %v", records, err)
	}
	return records[0]
}

func TestChartIsKnownByHashesAlone(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"chart","name":"chart"}`, customer))
	address, token := made.str("url"), made.str("channelToken")
	if len(token) != 43 || len(address) < 43 || made.str("secret") != "" {
		t.Fatalf("made %s", made.text)
	}
	record := h.channel(customer)
	if len(record.TokenHash) != 32 || len(record.AddressHash) != 32 || record.Sealed != nil {
		t.Fatalf("kept %+v", record)
	}
	if shown := h.call(http.StatusOK, "GET", "/admin/v1/hooks/"+made.id(), "").text; strings.Contains(shown, "url") || strings.Contains(shown, token) {
		t.Errorf("shown %s", shown)
	}
	rotated := h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+made.id()+"/rotate", `{}`)
	if next := h.channel(customer); rotated.str("channelToken") == token || string(next.TokenHash) == string(record.TokenHash) || string(next.AddressHash) != string(record.AddressHash) {
		t.Errorf("rotated %s", rotated.text)
	}
	h.call(http.StatusBadRequest, "POST", "/admin/v1/hooks/"+made.id()+"/rotate", `{"overlapSec":5}`)
}

// TestFaultsAreNamed by the member.
func TestFaultsAreNamed(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot"}`, customer)).id()
	for _, c := range []struct{ path, body, field string }{
		{"hooks", `{"customer":"cus_none","kind":"webhook","name":"x"}`, "customer"},
		{"hooks", `{"customer":C,"kind":"carrier pigeon","name":"x"}`, "kind"},
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
			t.Errorf("%s %s: %s, want the field %s", c.path, c.body, a.text, c.field)
		}
	}
}

func TestEndpointLivesFromCreateToRemove(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example/x","types":["order.filled","alert.fired"]}`, customer))
	secret, path := made.str("secret"), "/admin/v1/endpoints/"+made.id()
	if !strings.HasPrefix(secret, "whsec_") || made.str("kind") != "webhook" || made.str("url") != "https://r.example/x" || strings.Contains(made.text, `"target"`) {
		t.Fatalf("made %s", made.text)
	}
	if shown := h.call(http.StatusOK, "GET", path, "").text; strings.Contains(shown, secret) {
		t.Errorf("shown %s", shown)
	}
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	rotated := h.call(http.StatusOK, "POST", path+"/rotate", fmt.Sprintf(`{"switchAt":%q}`, later))
	record := h.endpoint(customer)
	if !strings.HasSuffix(string(record.Sealed), secret) || !strings.HasSuffix(string(record.Next), rotated.str("secret")) || record.NextFrom.IsZero() {
		t.Errorf("rotated %s, %+v", rotated.text, record)
	}
	h.call(http.StatusBadRequest, "POST", path+"/rotate", fmt.Sprintf(`{"switchAt":%q}`, time.Now().Add(25*time.Hour).UTC().Format(time.RFC3339)))
	atOnce := h.call(http.StatusOK, "POST", path+"/rotate", `{}`)
	if record = h.endpoint(customer); !strings.HasSuffix(string(record.Sealed), atOnce.str("secret")) || record.Next != nil {
		t.Errorf("rotated at once: %+v", record)
	}
	if rows := h.call(http.StatusOK, "GET", "/admin/v1/journal?kind=admin.endpoint", "").text; strings.Contains(rows, "0001-01-01") {
		t.Errorf("the switch has no moment: %s", rows)
	}
	h.call(http.StatusOK, "GET", path+"/deliveries?status=undelivered", "")
	h.call(http.StatusBadRequest, "GET", path+"/deliveries?status=lost", "")
	if a := h.call(http.StatusOK, "POST", path+"/test", ""); a.field("delivered") != false || a.str("error") != "answered 500" || a.field("durationMs") != float64(1000) {
		t.Errorf("tested: %s", a.text)
	}
	if a := h.call(http.StatusOK, "POST", path+"/resend", `{"all":true}`); a.field("resent") != float64(3) {
		t.Errorf("resent: %s", a.text)
	}
	h.call(http.StatusOK, "POST", path+"/resend", `{"eventId":"evt_1"}`)
	h.call(http.StatusBadRequest, "POST", path+"/resend", `{}`)
	h.call(http.StatusBadRequest, "POST", path+"/resend", `{"eventId":"evt_1","all":true}`)
	if a := h.call(http.StatusOK, "PATCH", path, `{"paused":true,"types":[]}`); a.field("paused") != true || !strings.Contains(a.text, `"types":[]`) {
		t.Errorf("changed: %s", a.text)
	}
	h.call(http.StatusOK, "DELETE", path, "")
	h.call(http.StatusNotFound, "POST", path+"/test", "")
}

// TestEndpointOutlivesTheHookThatSigns: it can still be paused and named.
func TestEndpointOutlivesTheHookThatSigns(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"h"}`, customer))
	made := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example/x","hookId":%q}`, customer, hook.id()))
	h.call(http.StatusOK, "DELETE", "/admin/v1/hooks/"+hook.id(), "")
	if a := h.call(http.StatusOK, "PATCH", "/admin/v1/endpoints/"+made.id(), `{"paused":true,"name":"old"}`); a.field("paused") != true || a.str("name") != "old" {
		t.Errorf("changed: %s", a.text)
	}
}

func (h *house) endpoint(customer string) persistence.Endpoint {
	h.t.Helper()
	records, err := h.store.Endpoints(h.t.Context(), customer)
	if err != nil || len(records) != 1 {
		h.t.Fatalf("%+v, %v", records, err)
	}
	return records[0]
}

// TestEndpointThatIsNotReachedIsRefused, in the words of what it lacks.
func TestEndpointThatIsNotReachedIsRefused(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	body := fmt.Sprintf(`{"customer":%q,"kind":"telegram","target":"-100","secret":"bot"}`, customer)
	h.unreachable = venues.InvalidFields(venues.FieldFault{Field: "target", Rule: "the bot is no administrator of the group"})
	if a := h.call(http.StatusBadRequest, "POST", "/admin/v1/endpoints", body); !strings.Contains(a.text, "no administrator") {
		t.Error(a.text)
	}
	h.unreachable = errors.New("no route")
	h.call(http.StatusServiceUnavailable, "POST", "/admin/v1/endpoints", body)
	h.unreachable = nil
	if a := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", body); a.str("target") != "-100" || strings.Contains(a.text, "secret") {
		t.Error(a.text)
	}
}

func TestAlertLivesFromCreateToRemove(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	made := h.call(http.StatusCreated, "POST", "/admin/v1/alerts", fmt.Sprintf(
		`{"customer":%q,"exchange":"binance","symbol":"btc-usdt","condition":{"field":"mark","op":"crosses_above","value":"60000.0"},"repeat":true,"comment":"up"}`, customer))
	if made.str("symbol") != "BTCUSDT" || made.str("status") != "armed" || made.str("condition", "value") != "60000" {
		t.Fatalf("made %s", made.text)
	}
	path := "/admin/v1/alerts/" + made.id()
	if a := h.call(http.StatusOK, "PATCH", path, `{"status":"paused","condition":{"field":"last","op":"below","value":"1"}}`); a.str("status") != "paused" || a.str("condition", "op") != "below" {
		t.Errorf("changed %s", a.text)
	}
	h.call(http.StatusBadRequest, "PATCH", path, `{"status":"fired"}`)
	h.call(http.StatusOK, "DELETE", path, "")
	h.call(http.StatusNotFound, "GET", path, "")
	if a := h.call(http.StatusOK, "GET", "/admin/v1/alerts", ""); a.text != `{"items":[]}` {
		t.Errorf("listed %s", a.text)
	}
}

func TestNumbersOfACustomerAreLimited(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	for kind, c := range map[string]struct {
		most int
		body string
	}{
		"hooks":     {100, `{"customer":%q,"kind":"chart","name":"x"}`},
		"endpoints": {50, `{"customer":%q,"url":"https://r.example"}`},
	} {
		body := fmt.Sprintf(c.body, customer)
		var last string
		for range c.most {
			last = h.call(http.StatusCreated, "POST", "/admin/v1/"+kind, body).id()
		}
		if a := h.call(http.StatusBadRequest, "POST", "/admin/v1/"+kind, body); a.field("error", "details", "limit") != float64(c.most) {
			t.Errorf("%s: %s", kind, a.text)
		}
		h.call(http.StatusOK, "DELETE", "/admin/v1/"+kind+"/"+last, "")
		h.call(http.StatusCreated, "POST", "/admin/v1/"+kind, body)
	}
}

// TestEndedSecretsAreForgotten when a record is next written, and a new key does
// not depend on them.
func TestEndedSecretsAreForgotten(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot"}`, customer))
	h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example"}`, customer))
	ended := venues.At(time.Now().Add(-time.Second))
	channel, endpoint := h.channel(customer), h.endpoint(customer)
	channel.Previous, channel.PreviousUntil = []byte("broken"), ended
	endpoint.Sealed, endpoint.Next, endpoint.NextFrom = []byte("broken"), endpoint.Sealed, ended
	for _, record := range []persistence.Record{channel, endpoint} {
		if err := h.directory.commit(t.Context(), record, persistence.JournalEntry{ID: "jrn_" + record.Key().ID, At: ended}); err != nil {
			t.Fatal(err)
		}
	}
	h.call(http.StatusOK, "POST", "/admin/v1/rotate-key", "")
	if c, e := h.channel(customer), h.endpoint(customer); c.Previous != nil || !strings.HasPrefix(string(e.Sealed), "1|") || e.Next != nil {
		t.Errorf("kept: %s, %s, %s", c.Previous, e.Sealed, e.Next)
	}
}

func TestRotatedKeySealsEverythingAnew(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"bot"}`, customer))
	h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+hook.id()+"/rotate", `{}`)
	h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", fmt.Sprintf(`{"customer":%q,"url":"https://r.example"}`, customer))
	if a := h.call(http.StatusOK, "POST", "/admin/v1/rotate-key", ""); a.text != `{"accounts":0,"hooks":1,"endpoints":1}` {
		t.Fatal(a.text)
	}
	channel, endpoint := h.channel(customer), h.endpoint(customer)
	for _, sealed := range [][]byte{channel.Sealed, channel.Previous, endpoint.Sealed} {
		if !strings.HasPrefix(string(sealed), "1|") {
			t.Errorf("sealed %s", sealed)
		}
	}
	if !strings.HasSuffix(string(channel.Previous), hook.str("secret")) {
		t.Errorf("the secret has changed: %s", channel.Previous)
	}
}
