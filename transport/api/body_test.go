package api_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"venuegate/transport/api"
	"venuegate/venues"
)

// fieldErrors returns the "field rule" pairs of an invalid_request error, or nil for
// no error.
func fieldErrors(t testing.TB, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeInvalidRequest {
		t.Fatalf("error %v, want an invalid_request", err)
	}
	fields, ok := e.Details["fields"].([]venues.FieldError)
	if !ok || len(fields) == 0 {
		t.Fatalf("details = %v, want fields", e.Details)
	}
	var pairs []string
	for _, f := range fields {
		pairs = append(pairs, f.Field+" "+f.Rule)
	}
	return pairs
}

func wantFieldErrors(t *testing.T, err error, want ...string) {
	t.Helper()
	if got := fieldErrors(t, err); !slices.Equal(got, want) {
		t.Errorf("field errors = %q, want %q", got, want)
	}
}

const limitOrder = `{"exchange":"binance","symbol":"btc/usdt:usdt","side":"buy","type":"limit","qty":"0.5","price":"64000",
	"stopLoss":"63000","takeProfit":"66000","requestId":"r-1","comment":"c","postOnly":true,"triggerPrice":null,"extra":{"a":[1]}}`

func TestDecodePlaceOrder(t *testing.T) {
	o, err := api.DecodePlaceOrder([]byte(limitOrder))
	if err != nil {
		t.Fatal(err)
	}
	want := venues.PlaceOrder{
		Exchange: venues.Binance, RequestID: "r-1", Comment: "c", BodyHash: o.BodyHash,
		OrderSpec: venues.OrderSpec{
			Symbol: "btc/usdt:usdt", Side: venues.Buy, Type: venues.TypeLimit, Qty: o.Qty,
			Price: some("64000"), StopLoss: some("63000"), TakeProfit: some("66000"), PostOnly: true,
			TimeInForce: venues.GoodTillCancel,
		},
	}
	if !o.Qty.Equal(d("0.5")) || len(o.BodyHash) != 32 || o.Symbol != want.Symbol || o.Exchange != want.Exchange ||
		o.Side != want.Side || o.Type != want.Type || o.PostOnly != want.PostOnly || o.TimeInForce != want.TimeInForce ||
		o.RequestID != want.RequestID || o.Comment != want.Comment || o.TriggerPrice.Valid ||
		!venues.EqualOptional(o.Price, want.Price) || !venues.EqualOptional(o.StopLoss, want.StopLoss) ||
		!venues.EqualOptional(o.TakeProfit, want.TakeProfit) {
		t.Errorf("order = %+v, want %+v", o, want)
	}
}

func TestMarketOrderIsImmediateOrCancel(t *testing.T) {
	o, err := api.DecodePlaceOrder([]byte(`{"exchange":"okx","symbol":"BTCUSDT","side":"sell","type":"market","qty":"1"}`))
	if err != nil || o.TimeInForce != venues.ImmediateOrCancel {
		t.Errorf("timeInForce = %q, error %v, want %q", o.TimeInForce, err, venues.ImmediateOrCancel)
	}
}

func TestDecodePlaceOrderRejectsBadBodies(t *testing.T) {
	const head = `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market",`
	deep := func(n int) string {
		return head + `"qty":"1","x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"empty":                   {"", []string{"body missing"}},
		"white space":             {" \n", []string{"body missing"}},
		"an array":                {"[]", []string{"body wrong_type"}},
		"a string":                {`"a"`, []string{"body wrong_type"}},
		"null":                    {"null", []string{"body wrong_type"}},
		"truncated":               {`{"qty":"1"`, []string{"body malformed"}},
		"trailing comma":          {`{"qty":"1",}`, []string{"body malformed"}},
		"single quotes":           {`{'qty':'1'}`, []string{"body malformed"}},
		"comment":                 {`{/**/}`, []string{"body malformed"}},
		"NaN":                     {head + `"qty":NaN}`, []string{"body malformed"}},
		"trailing text":           {head + `"qty":"1"}x`, []string{"body malformed"}},
		"second document":         {head + `"qty":"1"}{}`, []string{"body malformed"}},
		"NUL":                     {head + "\"qty\":\"1\"}\x00", []string{"body malformed"}},
		"byte order mark":         {"\xef\xbb\xbf" + head + `"qty":"1"}`, []string{"body malformed"}},
		"invalid UTF-8":           {head + "\"qty\":\"1\",\"comment\":\"\xff\"}", []string{"body malformed"}},
		"invalid UTF-8 ignored":   {head + "\"qty\":\"1\",\"x\":\"\xc3\"}", []string{"body malformed"}},
		"lone surrogate":          {head + `"qty":"1","comment":"\ud800"}`, []string{"body malformed"}},
		"control character":       {head + "\"qty\":\"1\",\"comment\":\"\x01\"}", []string{"body malformed"}},
		"duplicate":               {head + `"qty":"1","qty":"100"}`, []string{"qty duplicate"}},
		"duplicate by escape":     {head + `"qty":"1","\u0071ty":"100"}`, []string{"qty duplicate"}},
		"duplicate unknown":       {head + `"qty":"1","x":1,"x":2}`, []string{"x duplicate"}},
		"duplicate inside":        {head + `"qty":"1","x":{"y":1,"y":2}}`, []string{"y duplicate"}},
		"second case variant":     {head + `"qty":"1","QTY":"100"}`, []string{"QTY wrong_case"}},
		"only case variant":       {head + `"Qty":"1"}`, []string{"Qty wrong_case", "qty missing"}},
		"deep":                    {deep(17), []string{"body too_deep"}},
		"very deep":               {deep(100_000), []string{"body too_deep"}},
		"number for decimal":      {head + `"qty":1}`, []string{"qty wrong_type"}},
		"boolean for decimal":     {head + `"qty":true}`, []string{"qty wrong_type"}},
		"object for decimal":      {head + `"qty":{"a":1}}`, []string{"qty wrong_type"}},
		"array for decimal":       {head + `"qty":["1"]}`, []string{"qty wrong_type"}},
		"null for required":       {head + `"qty":null}`, []string{"qty missing"}},
		"exponent":                {head + `"qty":"1e3"}`, []string{"qty not_a_decimal"}},
		"huge exponent":           {head + `"qty":"1e10000000"}`, []string{"qty not_a_decimal"}},
		"plus":                    {head + `"qty":"+1"}`, []string{"qty not_a_decimal"}},
		"point":                   {head + `"qty":".5"}`, []string{"qty not_a_decimal"}},
		"comma":                   {head + `"qty":"1,5"}`, []string{"qty not_a_decimal"}},
		"blank":                   {head + `"qty":" 1"}`, []string{"qty not_a_decimal"}},
		"empty decimal":           {head + `"qty":""}`, []string{"qty not_a_decimal"}},
		"other digits":            {head + `"qty":"١"}`, []string{"qty not_a_decimal"}},
		"19 digits":               {head + `"qty":"1234567890123456789"}`, []string{"qty not_a_decimal"}},
		"zero":                    {head + `"qty":"0"}`, []string{"qty not_positive"}},
		"negative":                {head + `"qty":"-1"}`, []string{"qty not_positive"}},
		"string for boolean":      {head + `"qty":"1","reduceOnly":"true"}`, []string{"reduceOnly wrong_type"}},
		"number for boolean":      {head + `"qty":"1","reduceOnly":1}`, []string{"reduceOnly wrong_type"}},
		"number for string":       {head + `"qty":"1","comment":5}`, []string{"comment wrong_type"}},
		"request id":              {head + `"qty":"1","requestId":"a b"}`, []string{"requestId malformed"}},
		"empty request id":        {head + `"qty":"1","requestId":""}`, []string{"requestId malformed"}},
		"long request id":         {head + `"qty":"1","requestId":"` + strings.Repeat("a", 65) + `"}`, []string{"requestId malformed"}},
		"long comment":            {head + `"qty":"1","comment":"` + strings.Repeat("é", 257) + `"}`, []string{"comment too_long"}},
		"price of a market order": {head + `"qty":"1","price":"5"}`, []string{"price not_applicable"}},
		"trigger of a market order": {
			head + `"qty":"1","triggerPrice":"5"}`, []string{"triggerPrice not_applicable"},
		},
		"post-only market order": {head + `"qty":"1","postOnly":true}`, []string{"postOnly not_applicable"}},
		"resting market order":   {head + `"qty":"1","timeInForce":"gtc"}`, []string{"timeInForce not_applicable"}},
		"unknown time in force":  {head + `"qty":"1","timeInForce":"GTC"}`, []string{"timeInForce unknown_value"}},
		"no fields":              {`{}`, []string{"exchange missing", "symbol missing", "side missing", "type missing", "qty missing"}},
		"every enum": {
			`{"exchange":"Binance","symbol":"a b","side":"BUY","type":"stop","qty":"1"}`,
			[]string{"exchange unknown_value", "symbol not_a_symbol", "side unknown_value", "type unknown_value"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := api.DecodePlaceOrder([]byte(c.body))
			wantFieldErrors(t, err, c.want...)
		})
	}
	if _, err := api.DecodePlaceOrder([]byte(deep(16))); err != nil {
		t.Errorf("error for 16 levels: %v, want none", err)
	}
}

func TestDecodePlaceOrderChecksFieldsAgainstEachOther(t *testing.T) {
	for _, c := range []struct {
		fields string
		want   []string
	}{
		{`"type":"limit"`, []string{"price missing"}},
		{`"type":"limit","price":"0"`, []string{"price not_positive"}},
		{`"type":"limit","price":"x"`, []string{"price not_a_decimal"}},
		{`"type":"limit","price":"100","triggerPrice":"1"`, []string{"triggerPrice not_applicable"}},
		{`"type":"stop_market"`, []string{"triggerPrice missing"}},
		{`"type":"stop_market","triggerPrice":"100","price":"100"`, []string{"price not_applicable"}},
		{`"type":"stop_limit"`, []string{"price missing", "triggerPrice missing"}},
		{`"type":"stop_limit","price":"100","triggerPrice":"99"`, nil},
		{`"type":"limit","price":"100","timeInForce":"ioc","postOnly":true`, []string{"postOnly not_applicable"}},
		{`"type":"limit","price":"100","timeInForce":"fok"`, nil},
		{`"type":"market","timeInForce":"ioc"`, nil},
		{`"type":"limit","price":"100","stopLoss":"100"`, []string{"stopLoss wrong_side"}},
		{`"type":"limit","price":"100","stopLoss":"101","takeProfit":"99"`, []string{"stopLoss wrong_side", "takeProfit wrong_side"}},
		{`"type":"limit","price":"100","stopLoss":"99","takeProfit":"101"`, nil},
		{`"type":"limit","price":"100","stopLoss":"-1"`, []string{"stopLoss not_positive"}},
		{`"type":"stop_market","triggerPrice":"100","stopLoss":"101"`, []string{"stopLoss wrong_side"}},
		{`"type":"market","stopLoss":"101","takeProfit":"99"`, []string{"stopLoss wrong_side"}},
		{`"type":"market","stopLoss":"99","takeProfit":"101"`, nil},
	} {
		_, err := api.DecodePlaceOrder([]byte(`{"exchange":"okx","symbol":"BTCUSDT","side":"buy","qty":"1",` + c.fields + `}`))
		if got := fieldErrors(t, err); !slices.Equal(got, c.want) {
			t.Errorf("%s: field errors = %q, want %q", c.fields, got, c.want)
		}
	}
	_, err := api.DecodePlaceOrder([]byte(`{"exchange":"okx","symbol":"BTCUSDT","side":"sell","qty":"1","type":"limit",
		"price":"100","stopLoss":"99","takeProfit":"101"}`))
	wantFieldErrors(t, err, "takeProfit wrong_side", "stopLoss wrong_side")
}

func TestValidationErrorsHideValuesOfTheWrongType(t *testing.T) {
	_, err := api.DecodePlaceOrder([]byte(`{"exchange":{"secret":"hunter2"}}`))
	e, _ := errors.AsType[*venues.Error](err)
	if e == nil || strings.Contains(string(api.AppendError(nil, e, "req")), "hunter2") {
		t.Errorf("error %v, want one without the value", err)
	}
}

func TestValidationErrorsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	name := []byte("requestid")
	for i := range 1 << len(name) {
		for j := range name {
			name[j] = "requestidREQUESTID"[j+9*(i>>j&1)]
		}
		b.WriteString(`"` + string(name) + `":1,`)
	}
	b.WriteString(`"` + strings.Repeat("x", 9000) + `":1}`)
	_, err := api.DecodePlaceOrder([]byte(b.String()))
	if n := len(fieldErrors(t, err)); n != 32 {
		t.Errorf("%d field errors, want 32", n)
	}
}

func TestDecodeAmendOrder(t *testing.T) {
	a, err := api.DecodeAmendOrder([]byte(`{"qty":"2","price":null,"takeProfit":"5"}`))
	if err != nil || !venues.EqualOptional(a.Qty, some("2")) || a.Price.Valid || !venues.EqualOptional(a.TakeProfit, some("5")) {
		t.Errorf("amend = %+v, error %v, want qty 2 and takeProfit 5", a, err)
	}
	a, err = api.DecodeAmendOrder([]byte(`{"stopLoss":null,"takeProfit":"5"}`))
	if err != nil || !a.RemoveStopLoss || a.RemoveTakeProfit || a.StopLoss.Valid {
		t.Errorf("amend = %+v, error %v, want the stop loss removed", a, err)
	}
	for body, want := range map[string][]string{
		`{}`:               {"body missing"},
		`{"price":null}`:   {"body missing"},
		`{"side":"sell"}`:  {"body missing"},
		`{"price":"0"}`:    {"price not_positive"},
		`{"qty":"-1"}`:     {"qty not_positive"},
		`{"stopLoss":"0"}`: {"stopLoss not_positive"},
		`{"price":1}`:      {"price wrong_type"},
	} {
		_, err := api.DecodeAmendOrder([]byte(body))
		wantFieldErrors(t, err, want...)
	}
}

func TestCancelOrdersFilters(t *testing.T) {
	c, err := api.DecodeCancelOrders([]byte(`{"symbol":"ETHUSDT","exchange":"okx"}`))
	if err != nil || c.Symbol != "ETHUSDT" || c.Exchange != venues.OKX {
		t.Errorf("body: filters = %+v, error %v, want ETHUSDT on okx", c, err)
	}
	if _, err := api.DecodeCancelOrders([]byte(`{}`)); err != nil {
		t.Errorf("empty body: error %v, want none", err)
	}
	_, err = api.DecodeCancelOrders([]byte(`{"sybmol":"ETHUSDT"}`))
	wantFieldErrors(t, err, "sybmol unknown_name")

	c, given, err := api.ParseCancelOrders("symbol=ETHUSDT&exchange=okx")
	if err != nil || !given || c.Symbol != "ETHUSDT" || c.Exchange != venues.OKX {
		t.Errorf("query: filters = %+v, given %v, error %v, want ETHUSDT on okx", c, given, err)
	}
	if _, given, err := api.ParseCancelOrders(""); given || err != nil {
		t.Errorf("no query: given %v, error %v, want false and none", given, err)
	}
	for raw, want := range map[string][]string{
		"sybmol=ETHUSDT":          {"sybmol unknown_name"},
		"Symbol=ETHUSDT":          {"Symbol wrong_case"},
		"symbol=":                 {"symbol not_a_symbol"},
		"symbol=ETH&symbol=BTC":   {"symbol duplicate"},
		"exchange=nowhere":        {"exchange unknown_value"},
		"exchange=%zz":            {"query malformed"},
		"exchange=okx;symbol=a":   {"query malformed"},
		"exchange=okx&symbol=%ff": {"symbol malformed"},
	} {
		_, _, err := api.ParseCancelOrders(raw)
		wantFieldErrors(t, err, want...)
	}
}

func TestDecodePositionRequests(t *testing.T) {
	c, err := api.DecodeClosePosition([]byte(`{"exchange":"okx","symbol":"BTCUSDT","qty":"0.1","requestId":"r"}`))
	if err != nil || c.Exchange != venues.OKX || !venues.EqualOptional(c.Qty, some("0.1")) || c.RequestID != "r" || len(c.BodyHash) != 32 {
		t.Errorf("close = %+v, error %v, want 0.1 of BTCUSDT on okx with a hash", c, err)
	}
	if c, err := api.DecodeClosePosition([]byte(`{"exchange":"okx","symbol":"BTCUSDT"}`)); err != nil || c.Qty.Valid {
		t.Errorf("close = %+v, error %v, want no qty", c, err)
	}
	_, err = api.DecodeClosePosition([]byte(`{"qty":"0"}`))
	wantFieldErrors(t, err, "exchange missing", "symbol missing", "qty not_positive")

	l, err := api.DecodeChangeLeverage([]byte(`{"exchange":"okx","symbol":"BTCUSDT","leverage":"10"}`))
	if err != nil || !l.Leverage.Equal(d("10")) || l.Exchange != venues.OKX || l.Symbol != "BTCUSDT" {
		t.Errorf("change = %+v, error %v, want leverage 10", l, err)
	}
	_, err = api.DecodeChangeLeverage([]byte(`{"exchange":"okx","symbol":"BTCUSDT","leverage":10}`))
	wantFieldErrors(t, err, "leverage wrong_type")
	_, err = api.DecodeChangeLeverage([]byte(`{"exchange":"okx","symbol":"BTCUSDT","leverage":"0"}`))
	wantFieldErrors(t, err, "leverage not_positive")
}

func TestTimeOfASignal(t *testing.T) {
	const at = "2026-11-20T09:19:00.000Z"
	for text, want := range map[string]string{
		`"2026-11-20T09:19:00Z"`: at, `"2026-11-20T10:19:00+01:00"`: at, `"2026-11-20T10:19:00+0100"`: at, `"2026-11-20T09:19:00.25Z"`: "2026-11-20T09:19:00.250Z",
		`1795166340`: at, `"1795166340"`: at, `1795166340.25`: "2026-11-20T09:19:00.250Z", `1795166340000`: at, `"1795166340000"`: at, `1.79516634e9`: at,
		`"yesterday"`: "", `"11/20/2026 09:19"`: "", `""`: "", `true`: "", `{}`: "", `-1`: "", `1e17`: "",
	} {
		data := []byte(`{"action":"cancel-all","time":` + text + `}`)
		s, _, err := api.DecodeSignal(data, api.SignalForm{BareNumbers: true, Timed: true})
		if got := s.SentAt.UTC().Format(venues.TimeFormat); want == "" && err == nil || want != "" && (err != nil || got != want) {
			t.Errorf("time %s: read %s, error %v, want %q", text, got, err, want)
		}
		if s, _, err := api.DecodeSignal(data, api.SignalForm{BareNumbers: true}); err != nil || !s.SentAt.IsZero() {
			t.Errorf("time %s, not looked at: read %v, error %v, want neither", text, s.SentAt, err)
		}
	}
}

func TestChartSignalsMayHoldBareNumbers(t *testing.T) {
	for qty, want := range map[string]string{
		`0.50`: "0.5", `"0.5"`: "0.5", `1e-3`: "0.001", `1.50E+2`: "150", `5e-18`: "0.000000000000000005",
		`1e-19`: "", `1e18`: "", `1e999999999`: "", `1e99999999999999999999`: "", `"1e2"`: "", `true`: "",
	} {
		s, _, err := api.DecodeSignal([]byte(`{"action":"close","exchange":"okx","symbol":"BTCUSDT","qty":`+qty+`}`), api.SignalForm{BareNumbers: true})
		if want == "" {
			if err == nil {
				t.Errorf("qty %s: no error, want one", qty)
			}
			continue
		}
		if err != nil || !venues.EqualOptional(s.Qty, some(want)) {
			t.Errorf("qty %s: read %v, error %v, want %s", qty, s.Qty, err, want)
		}
	}
}

func TestUnknownFieldsAreListed(t *testing.T) {
	s, _, err := api.DecodeSignal([]byte(`{"a":1,"action":"cancel-all","`+strings.Repeat("é", 100)+`":{}}`), api.SignalForm{})
	if got := s.Ignored; err != nil || len(got) != 2 || got[0] != "a" || utf8.RuneCountInString(got[1]) != 64 {
		t.Errorf("ignored = %q, error %v, want a and 64 characters", got, err)
	}
}

// Errors are listed by their kind and then in the order of the document, not of
// the body.
func TestValidationErrorsHaveAFixedOrder(t *testing.T) {
	_, err := api.DecodeAmendOrder([]byte(`{"takeProfit":"0","qty":"0","price":"0","triggerPrice":1}`))
	wantFieldErrors(t, err, "triggerPrice wrong_type", "price not_positive", "qty not_positive", "takeProfit not_positive")
	_, err = api.DecodePlaceOrder([]byte(`{"qty":"0","type":"limit","price":"-1","side":"x"}`))
	wantFieldErrors(t, err, "side unknown_value", "exchange missing", "symbol missing",
		"qty not_positive", "price not_positive")
}

// FuzzPlaceOrder checks that no body makes the decoder panic, and that an accepted
// order is complete and can be encoded.
func FuzzPlaceOrder(f *testing.F) {
	f.Add([]byte(limitOrder))
	f.Add([]byte(`{"exchange":"okx","symbol":"BTC-USDT-SWAP","side":"sell","type":"stop_market","qty":"1","triggerPrice":"5"}`))
	f.Add([]byte(`{"qty":"1","QTY":"100","side":"buy","side":"sell"}`))
	f.Add([]byte(strings.Repeat("[", 500)))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := api.DecodePlaceOrder(data)
		if err != nil {
			fieldErrors(t, err)
			return
		}
		if !o.Qty.IsPositive() || o.Symbol == "" || o.TimeInForce == "" || len(o.BodyHash) != 32 ||
			o.Price.Valid == o.Type.IsMarket() || o.TriggerPrice.Valid != o.Type.IsStop() {
			t.Fatalf("accepted order = %+v, want a complete one", o)
		}
		checkOrderJSON(t, &venues.Order{OrderSpec: o.OrderSpec, Comment: o.Comment})
	})
}

// FuzzBodies checks that no body makes any other decoder panic.
func FuzzBodies(f *testing.F) {
	f.Add([]byte(`{"exchange":"okx","symbol":"BTCUSDT","leverage":"10","qty":"1","price":"2"}`))
	f.Add([]byte(`{"exchange":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := api.DecodeAmendOrder(data)
		fieldErrors(t, err)
		_, err = api.DecodeCancelOrders(data)
		fieldErrors(t, err)
		_, err = api.DecodeClosePosition(data)
		fieldErrors(t, err)
		_, err = api.DecodeChangeLeverage(data)
		fieldErrors(t, err)
		_, _, err = api.ParseCancelOrders(string(data))
		fieldErrors(t, err)
	})
}

// FuzzDecimal checks that an accepted decimal is printed as the same number.
func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0.50", "1e5", "999999999999999999.999999999999999999", "٣", "1.", "00012"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := venues.ParseDecimal(text)
		if err != nil {
			return
		}
		printed := string(api.AppendDecimal(nil, value))
		again, err := venues.ParseDecimal(strings.Trim(printed, `"`))
		if err != nil || !again.Equal(value) {
			t.Fatalf("%q is printed as %s, want the same number", text, printed)
		}
	})
}
