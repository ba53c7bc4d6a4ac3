package admin_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	json "github.com/go-json-experiment/json"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/admin"
	"venuegate/transport/api"
	"venuegate/transport/documenttest"
	"venuegate/transport/operations"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

func document(t *testing.T) *documenttest.Document {
	t.Helper()
	doc, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocument(t *testing.T) { document(t).Check(t) }

// The server has exactly the operations of the document.
func TestRoutesAreDocumented(t *testing.T) {
	h := open(t)
	request := h.request("GET", "/openapi.yaml", "")
	request.Header.Del("Authorization")
	if got := h.send(request); got.text != string(admin.OpenAPI()) || got.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("/openapi.yaml: %d bytes with headers %v, want the document as YAML", len(got.text), got.header)
	}
	parameter := regexp.MustCompile(`:(\w+)`)
	served := []string{"GET /debug/pprof/{profile}"} // by middleware
	for _, route := range h.server.Routes() {
		if route.Method != http.MethodHead {
			served = append(served, route.Method+" "+parameter.ReplaceAllString(route.Path, "{$1}"))
		}
	}
	slices.Sort(served)
	if documented := slices.Sorted(maps.Keys(document(t).Operations())); !slices.Equal(documented, served) {
		t.Errorf("documented operations = %q, want those served %q", documented, served)
	}
}

// bodies are the types that requests and records are decoded to and encoded from.
var bodies = map[string]any{
	"NewCustomer": registry.NewCustomer{}, "CustomerChange": registry.CustomerChange{}, "Customer": registry.Customer{},
	"NewKey": registry.NewKey{}, "KeyChange": registry.KeyChange{}, "KeyRotation": registry.KeyRotation{}, "Key": registry.Key{},
	"NewUser": registry.NewUser{}, "UserChange": registry.UserChange{}, "NewInvite": registry.NewInvite{}, "User": registry.User{},
	"NewAccount": registry.NewAccount{}, "AccountChange": registry.AccountChange{}, "VenueAccount": registry.Account{},
	"Limits": registry.Limits{}, "LimitsInput": registry.Limits{}, "Lock": registry.Lock{}, "FeeAmount": registry.Fees{},
	"HaltOrder": registry.HaltOrder{}, "CustomerHalt": registry.CustomerHalt{}, "HaltResult": registry.HaltResult{}, "HaltError": registry.HaltError{}, "HaltReport": venues.HaltReport{}, "NullableHaltReport": venues.HaltReport{}, "AccountRisk": registry.AccountRisk{}, "CheckResult": registry.CheckResult{},
	"NewHook": registry.NewHook{}, "HookChange": registry.HookChange{}, "HookRotation": registry.HookRotation{}, "Hook": registry.Hook{},
	"HookStats": registry.HookStats{}, "HookStatuses": registry.HookStatuses{},
	"ReceivedSignal": registry.Signal{}, "SignalHistory": registry.SignalHistory{}, "SignalOrder": registry.SignalOrder{}, "SignalLeg": registry.SignalLeg{},
	"SignalFill": registry.SignalFill{}, "SignalEvent": registry.SignalEvent{}, "SignalError": venues.RejectReason{},
	"SignalTest": registry.SignalTest{}, "RuleResult": registry.RuleResult{}, "PlannedStep": registry.PlannedStep{}, "PlannedReject": registry.PlannedReject{},
	"Rules": registry.Rules{}, "RulesInput": registry.Rules{},
	"NewEndpoint": registry.NewEndpoint{}, "EndpointChange": registry.EndpointChange{}, "EndpointRotation": registry.EndpointRotation{},
	"ChatQuery": registry.ChatQuery{}, "Bot": registry.Bot{}, "Chat": registry.Chat{},
	"Endpoint": registry.Endpoint{}, "EndpointTest": registry.Tested{}, "ResendOrder": registry.ResendOrder{}, "Resent": registry.Resent{},
	"Delivery": registry.Delivery{}, "DeliveryDetail": registry.DeliveryDetail{}, "DeliveryAttempt": registry.Attempt{},
	"EndpointStats": registry.EndpointStats{}, "EndpointHour": registry.EndpointHour{}, "EndpointFile": registry.File{},
	"Overview": registry.Overview{}, "OverviewSum": registry.OverviewSum{}, "OverviewToday": registry.OverviewToday{}, "OverviewCounts": registry.OverviewCounts{},
	"OverviewVenue": registry.OverviewVenue{}, "OverviewAccount": registry.OverviewAccount{}, "OverviewBalance": registry.OverviewBalance{},
	"OverviewAccountDay": registry.OverviewAccountDay{}, "OverviewError": registry.OverviewError{}, "OverviewPosition": registry.OverviewPosition{},
	"OverviewUnknown": registry.OverviewUnknown{}, "OverviewEndpoint": registry.OverviewEndpoint{}, "OverviewChannel": registry.OverviewChannel{},
	"OverviewKey": registry.OverviewKey{}, "OverviewSteps": registry.OverviewSteps{},
	"NewAlert": registry.NewAlert{}, "AlertChange": registry.AlertChange{}, "Alert": registry.Alert{}, "Condition": registry.Condition{},
	"JournalRow": registry.Row{}, "JournalField": persistence.JournalField{}, "Verified": registry.Verified{}, "BrokenChain": registry.BrokenChain{},
	"ClosedTrade": registry.Trade{}, "TradeTotal": registry.TradeTotal{},
	"Rotated": registry.Rotated{}, "LatencyReport": registry.Latency{}, "VenueLatency": registry.VenueLatency{},
	"HopLatency": registry.HopLatency{}, "OrderLatency": registry.OrderLatency{},
	"Actors": operations.Actors{}, "Actor": operations.Actor{}, "Incidents": operations.Incidents{}, "ActorFailure": operations.Failure{}, "DeadLetter": operations.DeadLetter{},
	"VenueState": operations.Venue{}, "Connections": operations.Connections{}, "VenueLimit": operations.RateLimit{}, "WaitingRequests": operations.Waiting{},
	"BookState": operations.Book{}, "Streams": operations.Streams{}, "StreamKey": operations.StreamKey{}, "StoreState": operations.Store{}, "Commits": operations.Commits{},
	"Configuration": operations.Config{}, "ConfigValue": operations.ConfigValue{},
}

// Every object of the document has exactly the members of its type, and a record
// requires those that are always written.
func TestMembersAreDocumented(t *testing.T) {
	public := publicSchemas(t)
	for name, schema := range document(t).Components.Schemas {
		if len(schema.Value.Properties) == 0 || name == "Error" || public[name] != nil {
			continue
		}
		body, found := bodies[name]
		if !found {
			t.Errorf("%s: no type, want one in bodies", name)
			continue
		}
		members, always := membersOf(body)
		if got := slices.Sorted(maps.Keys(schema.Value.Properties)); !slices.Equal(got, members) {
			t.Errorf("%s: documented members = %q, want %q", name, got, members)
		}
		if request := schema.Value.AdditionalProperties.Has != nil; request {
			checkRequestSchema(t, name, schema.Value)
		} else if got := slices.Sorted(slices.Values(schema.Value.Required)); name != "Condition" && !slices.Equal(got, always) {
			t.Errorf("%s: required members = %q, want those always written %q", name, got, always)
		}
	}
}

// membersOf returns the sorted members of a type, and those that are always written.
func membersOf(body any) (members, always []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(body)) {
		name, _, optional := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || name == "" {
			continue
		}
		members = append(members, name)
		if !optional {
			always = append(always, name)
		}
	}
	slices.Sort(members)
	slices.Sort(always)
	return members, always
}

// checkRequestSchema fails the test unless a request rejects unknown members and is free of
// null and of unions, for which generated clients have no type.
func checkRequestSchema(t *testing.T, name string, schema *openapi3.Schema) {
	t.Helper()
	if *schema.AdditionalProperties.Has {
		t.Errorf("%s: additional members are allowed, want them rejected", name)
	}
	for member, p := range schema.Properties {
		if len(p.Value.Type.Slice()) != 1 || len(p.Value.OneOf)+len(p.Value.AnyOf)+len(p.Value.AllOf) > 0 {
			t.Errorf("%s.%s: types = %q, want one type", name, member, p.Value.Type.Slice())
		}
	}
}

// Definitions with a name of the public document are equal to it.
func TestDefinitionsOfThePublicDocumentAreEqual(t *testing.T) {
	public, shared := publicSchemas(t), 0
	for name, schema := range document(t).Components.Schemas {
		if public[name] == nil || name == "Error" { // whose details are others
			continue
		}
		shared++
		got, err := json.Marshal(schema.Value, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(public[name].Value, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if shared == 0 {
		t.Error("no definition is shared, want Exchange and others")
	}
}

func publicSchemas(t *testing.T) openapi3.Schemas {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

func TestLimitsAreDocumented(t *testing.T) {
	limit := document(t).Components.Parameters["limit"].Value.Schema.Value
	if fmt.Sprint(limit.Default) != fmt.Sprint(registry.PageDefault) || limit.Max == nil || *limit.Max != registry.PageMax {
		t.Errorf("limit: default %v, maximum %v, want %d and %d", limit.Default, limit.Max, registry.PageDefault, registry.PageMax)
	}
}

// Every operation succeeds as documented.
func TestEveryOperationSucceeds(t *testing.T) {
	dir := t.TempDir()
	h := open(t, func(o *registry.Options) { o.Files = registrytest.Folder(dir) })
	h.backup = func(w io.Writer) error { _, err := io.WriteString(w, "a backup"); return err }
	if err := os.WriteFile(filepath.Join(dir, "trades.xlsx"), []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.succeedReads()
	customer := h.customer("one")
	key, _ := h.key(customer, "read")
	h.call(http.StatusOK, "POST", "/admin/v1/keys/"+key+"/rotate", `{"overlapSec":60}`)
	h.succeedRecord("/admin/v1/keys/"+key, `{"name":"bot","scopes":["read","trade"],"allow":["10.0.0.0/8"],"expiresAt":"2999-01-01T00:00:00Z"}`)
	user := h.call(http.StatusCreated, "POST", "/admin/v1/users", `{"customer":"`+customer+`","login":"ann","role":"owner"}`).id()
	h.call(http.StatusOK, "POST", "/admin/v1/users/"+user+"/invite", `{"validSec":600}`)
	h.succeedRecord("/admin/v1/users/"+user, `{"role":"viewer","disabled":false}`)
	account := h.account(customer)
	h.call(http.StatusOK, "GET", "/admin/v1/overview?customer="+customer, "")
	h.succeedAccount(account)
	h.succeedHook(customer)
	h.succeedEndpoint(customer, dir)
	alert := h.call(http.StatusCreated, "POST", "/admin/v1/alerts",
		`{"customer":"`+customer+`","exchange":"binance","symbol":"BTCUSDT","condition":{"field":"last","op":"above","value":"1"}}`).id()
	h.succeedRecord("/admin/v1/alerts/"+alert, `{"repeat":true,"status":"paused","comment":"c","condition":{"field":"mark","op":"below","value":"2"}}`)
	h.succeedRecord("/admin/v1/customers/"+customer, `{"name":"two","disabled":false}`)
	for route, op := range h.document.Operations() {
		if !h.succeeded[op.OperationID] {
			t.Errorf("%s: no success, want one", route)
		}
	}
}

// succeedReads calls what needs no record.
func (h *fixture) succeedReads() {
	for _, path := range []string{
		"/healthz", "/metrics", "/openapi.yaml", "/debug/pprof/cmdline", "/debug/pprof/heap",
		"/admin/v1/latency", "/admin/v1/latency/ord_1", "/admin/v1/backup", "/admin/v1/journal/verify", "/admin/v1/actors", "/admin/v1/incidents", "/admin/v1/venues",
		"/admin/v1/books", "/admin/v1/streams", "/admin/v1/store", "/admin/v1/config",
	} {
		h.call(http.StatusOK, "GET", path, "")
	}
	for _, ready := range []bool{false, true} {
		h.ready = api.Readiness{Ready: ready, Venues: []api.VenueReadiness{{Exchange: venues.OKX, Status: "up", Since: venues.At(time.Unix(1_800_000_000, 0))}}}
		h.call(map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}[ready], "GET", "/readyz", "")
	}
	h.call(http.StatusOK, "POST", "/admin/v1/rotate-key", "")
}

// succeedRecord lists, reads, changes and removes a record.
func (h *fixture) succeedRecord(path, change string) {
	h.call(http.StatusOK, "GET", path[:strings.LastIndexByte(path, '/')], "")
	h.call(http.StatusOK, "GET", path, "")
	h.call(http.StatusOK, "PATCH", path, change)
	h.call(http.StatusOK, "DELETE", path, "")
}

func (h *fixture) succeedAccount(account string) {
	path := "/admin/v1/accounts/" + account
	h.call(http.StatusOK, "GET", strings.Replace(path, ":", "%3A", 1), "") // as many clients encode it
	h.examiner.Results = []registry.CheckResult{{Check: "clock", Status: registry.CheckOK, Text: "t"}, {Check: "key", Status: registry.CheckWarning, Text: "t", Advice: "a"}}
	h.call(http.StatusOK, "POST", path+"/check", "")
	customer := strings.TrimSuffix(account, ":binance")
	h.call(http.StatusOK, "POST", "/admin/v1/accounts/examine", `{"customer":"`+customer+`","exchange":"binance",`+testCredentials+`}`)
	h.call(http.StatusOK, "POST", "/admin/v1/halt", `{"customer":"`+customer+`"}`)
	h.call(http.StatusOK, "GET", path+"/risk", "")
	h.call(http.StatusOK, "POST", path+"/halt", `{"flatten":true}`)
	h.call(http.StatusOK, "POST", path+"/resume", "")
	h.call(http.StatusOK, "POST", path+"/unlock", "")
	h.succeedRecord(path, `{"limits":{"dailyLoss":"500","maxOrderNotional":"10.5","maxOpenOrders":3},"halted":false}`)
}

func (h *fixture) succeedHook(customer string) {
	chart := h.call(http.StatusCreated, "POST", "/admin/v1/hooks", `{"customer":"`+customer+`","kind":"chart","name":"c","allowRepeats":true}`).id()
	h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+chart+"/rotate", `{}`)
	h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+chart+"/address", "")
	h.call(http.StatusOK, "GET", "/admin/v1/hooks/"+chart+"/stats", "")
	hook := h.call(http.StatusCreated, "POST", "/admin/v1/hooks",
		`{"customer":"`+customer+`","kind":"webhook","name":"h","testMode":true,"rules":{"symbols":["BTCUSDT"],"maxQty":"1","stopRequired":true,"opposite":"close","maxAgeSec":5}}`).id()
	h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+hook+"/rotate", `{"overlapSec":60}`)
	h.call(http.StatusOK, "POST", "/admin/v1/hooks/"+hook+"/test", `{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"1"}`)
	h.call(http.StatusAccepted, "POST", "/admin/v1/hooks/"+hook+"/fire", `{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"1"}`)
	signal := storetest.NewSignal(customer, 1)
	signal.ChannelID = hook
	if err := h.service.Put(h.t.Context(), signal); err != nil {
		h.t.Fatal(err)
	}
	h.call(http.StatusOK, "GET", "/admin/v1/signals?customer="+customer+"&channel="+hook+"&symbol=BTCUSDT&limit=5", "")
	h.call(http.StatusOK, "GET", "/admin/v1/signals/"+signal.ID, "")
	h.call(http.StatusOK, "POST", "/admin/v1/signals/"+signal.ID+"/test", "")
	h.succeedRecord("/admin/v1/hooks/"+hook, `{"paused":true,"rules":{},"allow":["10.0.0.1"]}`)
}

func (h *fixture) succeedEndpoint(customer, dir string) {
	book := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", `{"customer":"`+customer+`","kind":"file","target":"trades.xlsx"}`).id()
	h.call(http.StatusOK, "GET", "/admin/v1/endpoints/"+book+"/files", "")
	h.call(http.StatusOK, "GET", "/admin/v1/endpoints/"+book+"/files/trades.xlsx", "")
	endpoint := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints",
		`{"customer":"`+customer+`","name":"events","url":"https://example.com/","types":["order.filled"]}`).id()
	h.call(http.StatusOK, "POST", "/admin/v1/endpoints/examine", `{"customer":"`+customer+`","kind":"telegram","target":"42","secret":"1:a"}`)
	h.call(http.StatusOK, "POST", "/admin/v1/telegram/chats", `{"customer":"`+customer+`","secret":"1:a"}`)
	path := "/admin/v1/endpoints/" + endpoint
	h.call(http.StatusOK, "POST", path+"/test", "")
	h.call(http.StatusOK, "POST", path+"/resend", `{"all":true}`)
	h.call(http.StatusOK, "POST", path+"/rotate", `{"switchAt":"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	h.call(http.StatusOK, "GET", path+"/deliveries?status=pending&limit=5", "")
	h.call(http.StatusOK, "GET", path+"/stats", "")
	delivery := storetest.NewDelivery(customer, 1)
	delivery.Endpoint = endpoint
	if err := h.service.Put(h.t.Context(), delivery); err != nil {
		h.t.Fatal(err)
	}
	h.call(http.StatusOK, "GET", path+"/deliveries/"+delivery.EventID, "")
	h.call(http.StatusOK, "GET", path+"/deliveries/"+delivery.EventID+"/attempts?limit=5", "")
	h.call(http.StatusOK, "GET", "/admin/v1/deliveries?customer="+customer+"&type=order.filled&code=5xx&from=2026-11-20T18:00:00Z", "")
	h.succeedRecord(path, `{"name":"other","url":"https://example.com/2","paused":true}`)
	h.call(http.StatusOK, "GET", "/admin/v1/journal?customer="+customer+"&limit=2", "")
	h.call(http.StatusOK, "GET", "/admin/v1/journal/export?format=csv", "")
	h.call(http.StatusOK, "GET", "/admin/v1/journal/export", "")
	h.call(http.StatusOK, "GET", "/admin/v1/trades?customer="+customer, "")
	h.call(http.StatusOK, "GET", "/admin/v1/trades/export?customer="+customer, "")
}
