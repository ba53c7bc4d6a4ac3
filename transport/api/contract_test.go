package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"venuegate/transport/api"
	"venuegate/transport/documenttest"
	"venuegate/venues"
)

func document(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocument(t *testing.T) {
	doc, err := documenttest.Load(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	doc.Check(t)
}

func keys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// The document lists the codes of package venues with their status.
func TestCodesAreDocumented(t *testing.T) {
	schema := document(t).Components.Schemas["ErrorCode"].Value
	var documented []venues.Code
	for _, value := range schema.Enum {
		documented = append(documented, venues.Code(value.(string)))
	}
	if !slices.Equal(documented, venues.Codes()) {
		t.Errorf("documented %q, want %q", documented, venues.Codes())
	}
	for _, code := range venues.Codes() {
		if row := fmt.Sprintf("| `%s` | %d |", code, api.Status(code)); !strings.Contains(schema.Description, row) {
			t.Errorf("the table of codes lacks the row %s", row)
		}
	}
}

func TestRulesAreDocumented(t *testing.T) {
	text := document(t).Components.Schemas["FieldFault"].Value.Properties["rule"].Value.Description
	for _, rule := range api.Rules() {
		if !strings.Contains(text, "`"+rule+"`") {
			t.Errorf("document lacks rule %s", rule)
		}
	}
}

// Complete records have exactly the fields of their schemas.
func TestRecordsAreDocumented(t *testing.T) {
	doc := document(t)
	full := fullOrder()
	position := venues.Position{
		Exchange: venues.OKX, Symbol: "BTCUSDT", Side: venues.Long, MarginMode: venues.MarginCross, Reason: venues.ClosedManual,
	}
	unavailable := venues.Errorf(venues.CodeExchangeUnavailable, "m")
	for name, record := range map[string][]byte{
		"Order":      api.AppendOrder(nil, &full),
		"Fill":       api.AppendFill(nil, &venues.Fill{Exchange: venues.OKX, Side: venues.Buy, Liquidity: venues.Taker, Source: venues.SourceAPI}),
		"Position":   api.AppendPosition(nil, &position),
		"Account":    api.AppendBalance(nil, &venues.Balance{Exchange: venues.OKX}),
		"Instrument": api.AppendInstrument(nil, &venues.Instrument{Exchange: venues.OKX, Kind: venues.KindFuture, Status: venues.InstrumentHalted}),
		"OrderCheck": api.AppendOrderCheck(nil, &venues.OrderCheck{
			Order:  &venues.PlaceOrder{Exchange: venues.OKX, OrderSpec: full.OrderSpec, RequestID: "r", Comment: "c"},
			Faults: []venues.FieldError{{Field: "f", Rule: "missing", Given: "g", Allowed: "a"}},
			Rules:  []venues.RuleCheck{{Rule: "max_open_orders", Limit: "1", Given: "2", Rejection: unavailable}},
		}),
		"Ticker":         api.AppendTicker(nil, &venues.Ticker{Exchange: venues.OKX, Last: venues.Some(venues.MustDecimal("1"))}),
		"Trade":          api.AppendTradeRecord(nil, &venues.Trade{ID: "1", Side: venues.Buy, VenueTime: at(1).Time}),
		"LeverageChange": api.AppendLeverage(nil, &venues.LeverageChange{Exchange: venues.OKX}),
		"CancelResult": api.AppendCancelResult(nil, &venues.CancelResult{
			Exchange: venues.OKX, Result: venues.CancelUnknown, Error: unavailable,
		}),
		"SignalAnswer": api.AppendSignalAnswer(nil, &venues.SignalResponse{RequestID: "r", Status: "pending"}),
		"Event":        api.AppendEvent(nil, "evt_1", "order.filled", at(1), []byte(`{}`)),
		"Error": api.AppendError(nil, venues.Errorf(venues.CodeNotFound, "m").With("order", full).
			With("fields", []venues.FieldError{{Field: "f", Rule: "missing", Given: "g", Allowed: "a"}}), "req"),
	} {
		schema := doc.Components.Schemas[name]
		if err := conforms(schema.Value, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if extra := undocumented(schema.Value, decode(t, record), name); len(extra) > 0 {
			t.Errorf("undocumented fields = %q, want none", extra)
		}
		if missing := unwritten(schema.Value, decode(t, record), name); len(missing) > 0 {
			t.Errorf("missing fields = %q, want none", missing)
		}
	}
}

func TestRecordsWithoutOptionalValuesConform(t *testing.T) {
	doc := document(t)
	order := venues.Order{
		Exchange: venues.OKX, Status: venues.StatusPending, Source: venues.SourceAPI,
		OrderSpec: venues.OrderSpec{Side: venues.Buy, Type: venues.TypeMarket},
	}
	legs := order
	legs.Protection = &venues.Protection{}
	for name, record := range map[string][]byte{
		"Order":      api.AppendOrder(nil, &order),
		"Fill":       api.AppendFill(nil, &venues.Fill{Exchange: venues.OKX, Side: venues.Buy, Source: venues.SourceVenue}),
		"OrderCheck": api.AppendOrderCheck(nil, &venues.OrderCheck{}),
		"Position":   api.AppendPosition(nil, &venues.Position{Exchange: venues.OKX, Side: venues.Short}),
	} {
		if err := conforms(doc.Components.Schemas[name].Value, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := conforms(doc.Components.Schemas["Order"].Value, api.AppendOrder(nil, &legs)); err != nil {
		t.Error(err)
	}
}

func decode(t testing.TB, data []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return value
}

func conforms(schema *openapi3.Schema, data []byte) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	return schema.VisitJSON(value, openapi3.EnableJSONSchema2020())
}

// undocumented lists the fields of value that the schema lacks.
func undocumented(schema *openapi3.Schema, value any, at string) []string {
	var found []string
	switch v := value.(type) {
	case map[string]any:
		if len(schema.Properties) == 0 {
			return nil // a free object: details, data
		}
		for name, inner := range v {
			property := schema.Properties[name]
			if property == nil {
				found = append(found, at+"."+name+" is not documented")
				continue
			}
			found = append(found, undocumented(property.Value, inner, at+"."+name)...)
		}
	case []any:
		for _, inner := range v {
			found = append(found, undocumented(schema.Items.Value, inner, at+"[]")...)
		}
	}
	return found
}

// unwritten lists the fields of the schema that value lacks.
func unwritten(schema *openapi3.Schema, value any, at string) []string {
	var found []string
	object, _ := value.(map[string]any)
	for name, property := range schema.Properties {
		inner, written := object[name]
		if !written {
			found = append(found, at+"."+name+" is documented but not written")
			continue
		}
		if _, nested := inner.(map[string]any); nested {
			found = append(found, unwritten(property.Value, inner, at+"."+name)...)
		}
	}
	return found
}

// The decoders know exactly the fields of the schemas.
func TestRequestsAreDocumented(t *testing.T) {
	doc := document(t)
	for path, c := range map[string]struct {
		operation *openapi3.Operation
		fields    []string
	}{
		"POST /v1/orders":             {doc.Paths.Find("/v1/orders").Post, api.PlaceOrderFields},
		"PATCH /v1/orders/{id}":       {doc.Paths.Find("/v1/orders/{id}").Patch, api.AmendOrderFields},
		"DELETE /v1/orders":           {doc.Paths.Find("/v1/orders").Delete, api.CancelOrdersParameters()},
		"POST /v1/positions/close":    {doc.Paths.Find("/v1/positions/close").Post, api.ClosePositionFields},
		"POST /v1/positions/leverage": {doc.Paths.Find("/v1/positions/leverage").Post, api.ChangeLeverageFields},
		"POST /v1/hooks/chart/{id}":   {doc.Paths.Find("/v1/hooks/chart/{id}").Post, api.SignalFields},
		"POST /v1/hooks/in/{hookId}":  {doc.Paths.Find("/v1/hooks/in/{hookId}").Post, signedFields()},
	} {
		schema := c.operation.RequestBody.Value.Content["application/json"].Schema.Value
		decoded := slices.Sorted(slices.Values(c.fields))
		if got := keys(schema.Properties); !slices.Equal(got, decoded) {
			t.Errorf("%s: documented fields = %q, want the decoded %q", path, got, decoded)
		}
	}
}

// The decoders accept the examples of the document.
func TestExampleOrdersAreAccepted(t *testing.T) {
	doc := document(t)
	post := doc.Paths.Find("/v1/orders").Post.RequestBody.Value.Content["application/json"]
	for name, example := range post.Examples {
		data, err := json.Marshal(example.Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.DecodePlaceOrder(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// signedFields returns the fields of a signal of a signed channel.
func signedFields() []string {
	return slices.DeleteFunc(slices.Clone(api.SignalFields), func(name string) bool { return name == "channelToken" || name == "time" })
}

func TestExampleSignalsAreAccepted(t *testing.T) {
	for name, example := range document(t).Paths.Find("/v1/hooks/in/{hookId}").Post.RequestBody.Value.Content["application/json"].Examples {
		data, err := json.Marshal(example.Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := api.DecodeSignal(data, api.SignalForm{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every event type has a webhook with a description of its payload.
func TestWebhooksAreDocumented(t *testing.T) {
	doc := document(t)
	var types []string
	for _, value := range doc.Components.Schemas["Event"].Value.Properties["type"].Value.Enum {
		types = append(types, value.(string))
	}
	slices.Sort(types)
	if got := keys(doc.Webhooks); !slices.Equal(got, types) {
		t.Fatalf("webhooks = %q, want one per event type %q", got, types)
	}
	for name, item := range doc.Webhooks {
		var parameters []string
		for _, p := range item.Post.Parameters {
			parameters = append(parameters, p.Value.Name)
		}
		if want := []string{"X-Service-Signature", "X-Service-Timestamp", "X-Service-Event-Id", "X-Service-Attempt", "traceparent"}; !slices.Equal(parameters, want) {
			t.Errorf("%s: headers = %q, want %q", name, parameters, want)
		}
		specific := item.Post.RequestBody.Value.Content["application/json"].Schema.Value.AllOf[1].Value
		if specific.Properties["type"].Value.Const != name || len(specific.Properties["data"].Value.Required) == 0 {
			t.Errorf("%s: properties = %v, want its type and required data", name, specific.Properties)
		}
	}
}

func TestEnumsAreDocumented(t *testing.T) {
	schemas := document(t).Components.Schemas
	lengths := venues.Timeframes()
	timeframes := slices.SortedFunc(maps.Keys(lengths), func(a, b venues.Timeframe) int { return cmp.Compare(lengths[a], lengths[b]) })
	for name, want := range map[string][]string{
		"Timeframe":   texts(timeframes),
		"Exchange":    texts(venues.All()),
		"OrderStatus": texts(venues.OrderStatuses()),
		"OrderType":   {"market", "limit", "stop_market", "stop_limit"},
		"Source":      {"api", "webhook", "chart", "console", "protection", "venue"},
	} {
		var got []string
		for _, value := range schemas[name].Value.Enum {
			got = append(got, value.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("enum of %s = %q, want %q", name, got, want)
		}
	}
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func TestLimitsAreDocumented(t *testing.T) {
	doc := document(t)
	for path, want := range map[string][2]int{
		"/v1/instruments": {api.InstrumentsLimitDefault, api.InstrumentsLimitMax},
		"/v1/candles":     {api.CandlesLimitDefault, api.CandlesLimitMax},
		"/v1/orders":      {api.OrdersLimitDefault, api.OrdersLimitMax},
		"/v1/fills":       {api.FillsLimitDefault, api.FillsLimitMax},
		"/v1/events":      {api.EventsLimitDefault, api.EventsLimitMax},
		"/v1/trades":      {api.TradesLimitDefault, api.TradesLimitMax},
	} {
		schema := doc.Paths.Find(path).Get.Parameters.GetByInAndName("query", "limit").Schema.Value
		if fmt.Sprint(schema.Default) != fmt.Sprint(want[0]) || schema.Max == nil || *schema.Max != float64(want[1]) {
			t.Errorf("limit of %s: default %v, maximum %v, want %v", path, schema.Default, schema.Max, want)
		}
	}
	request := doc.Components.Schemas["OrderRequest"].Value
	if most := request.Properties["comment"].Value.MaxLength; most == nil || *most != api.CommentCharsMax {
		t.Errorf("maxLength of comment = %v, want %d", most, api.CommentCharsMax)
	}
	intro := doc.Info.Description
	for _, sentence := range []string{
		fmt.Sprintf("at most %d KiB", api.RESTBodyBytesMax>>10),
		fmt.Sprintf("deeper than %d levels", api.JSONDepthMax),
		fmt.Sprintf("%d reading and %d trading requests", api.ReadsPerWindow, api.TradesPerWindow),
		fmt.Sprintf("any %.0f s", api.RateWindow.Seconds()),
		fmt.Sprintf("After %d failed", api.AuthFailuresPerWindow),
	} {
		if !strings.Contains(strings.Join(strings.Fields(intro), " "), sentence) {
			t.Errorf("the introduction lacks %q", sentence)
		}
	}
}

// The documents list every venue of the table, without a change of their files.
func TestDocumentsListEveryVenue(t *testing.T) {
	list := append(venues.All(), "nowhere")
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPIWithVenues(list...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, value := range doc.Components.Schemas["Exchange"].Value.Enum {
		got = append(got, value.(string))
	}
	if !slices.Equal(got, texts(list)) {
		t.Errorf("enum of Exchange = %q, want %q", got, list)
	}
	if pattern := "trades:(" + strings.Join(texts(list), "|") + "):"; !strings.Contains(string(api.AsyncAPIWithVenues(list...)), pattern) {
		t.Errorf("document lacks the pattern %s", pattern)
	}
}
