package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"venuegate/transport/api"
	"venuegate/venues"
)

// streamDocument is the part of the AsyncAPI document that the tests read.
type streamDocument struct {
	AsyncAPI string `yaml:"asyncapi"`
	Info     struct {
		Description string `yaml:"description"`
	} `yaml:"info"`
	Limits   map[string]int `yaml:"x-limits"`
	Channels map[string]struct {
		Address  string                    `yaml:"address"`
		Messages map[string]map[string]any `yaml:"messages"`
	} `yaml:"channels"`
	Operations map[string]streamOperation `yaml:"operations"`
	Components struct {
		Messages map[string]streamMessage `yaml:"messages"`
		Schemas  map[string]any           `yaml:"schemas"`
	} `yaml:"components"`
}

type streamOperation struct {
	Action   string           `yaml:"action"`
	Messages []map[string]any `yaml:"messages"`
	Reply    struct {
		Messages []map[string]any `yaml:"messages"`
	} `yaml:"reply"`
}

type streamMessage struct {
	Payload  map[string]any `yaml:"payload"`
	Examples []struct {
		Name    string         `yaml:"name"`
		Payload map[string]any `yaml:"payload"`
	} `yaml:"examples"`
}

func asyncAPI(t testing.TB) *streamDocument {
	t.Helper()
	var doc streamDocument
	if err := yaml.Unmarshal(api.AsyncAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.AsyncAPI != "3.0.0" || doc.Channels["stream"].Address != "/v1/stream" {
		t.Fatalf("version %s, channels %v, want 3.0.0 with the stream", doc.AsyncAPI, doc.Channels)
	}
	return &doc
}

// schemas returns the schemas of the document, with those of the OpenAPI document
// that it refers to.
func (d *streamDocument) schemas(t testing.TB) openapi3.Schemas {
	t.Helper()
	var rest struct {
		Components struct {
			Schemas map[string]any `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(api.OpenAPI(), &rest); err != nil {
		t.Fatal(err)
	}
	// The prefix keeps a name apart that both documents define.
	all := map[string]any{}
	for name, schema := range rest.Components.Schemas {
		all["Rest"+name] = rename(t, schema, "#/components/schemas/", "#/components/schemas/Rest")
	}
	for name, schema := range d.Components.Schemas {
		all[name] = rename(t, schema, "./openapi.yaml#/components/schemas/", "#/components/schemas/Rest")
	}
	data, err := json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "t", "version": "1"}, "paths": map[string]any{},
		"components": map[string]any{"schemas": all},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// rename changes the prefix of references.
func rename(t testing.TB, value any, from, to string) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, []byte(strings.ReplaceAll(string(data), `"$ref":"`+from, `"$ref":"`+to)))
}

// reference returns the last part of {$ref: ...}.
func reference(value map[string]any) string {
	text, _ := value["$ref"].(string)
	return text[strings.LastIndexByte(text, '/')+1:]
}

// Every reference resolves, and every definition is used.
func TestStreamDocumentIsComplete(t *testing.T) {
	doc := asyncAPI(t)
	rest := document(t)
	used := map[string]bool{}
	for _, match := range regexp.MustCompile(`\$ref: "([^"]*)#/([^"]*)"`).FindAllStringSubmatch(string(api.AsyncAPI()), -1) {
		file, at := match[1], match[2]
		used[at] = true
		parts := strings.Split(at, "/")
		last := parts[len(parts)-1]
		found := false
		switch {
		case file == "./openapi.yaml":
			found = rest.Components.Schemas[last] != nil
		case strings.HasPrefix(at, "components/messages/"):
			_, found = doc.Components.Messages[last]
		case strings.HasPrefix(at, "components/schemas/"):
			_, found = doc.Components.Schemas[last]
		case strings.HasPrefix(at, "channels/stream/messages/"):
			found = reference(doc.Channels["stream"].Messages[last]) == last
		default:
			found = at == "channels/stream" || at == "servers/service"
		}
		if !found {
			t.Errorf("reference %s#/%s has no target, want one", file, at)
		}
	}
	for name := range doc.Components.Schemas {
		if !used["components/schemas/"+name] {
			t.Errorf("schema %s is not used, want a reference", name)
		}
	}
	for name := range doc.Components.Messages {
		if !used["components/messages/"+name] || !used["channels/stream/messages/"+name] {
			t.Errorf("message %s is not used, want a reference", name)
		}
	}
}

// The document lists exactly the messages that the decoder accepts and the encoders
// produce.
func TestStreamMessagesAreDocumented(t *testing.T) {
	doc := asyncAPI(t)
	var received, sent []string
	collect := func(into *[]string, messages []map[string]any) {
		for _, m := range messages {
			for _, example := range doc.Components.Messages[reference(m)].Examples {
				*into = append(*into, kindOf(example.Payload))
			}
		}
	}
	for _, operation := range doc.Operations {
		if operation.Action == "receive" {
			collect(&received, operation.Messages)
			collect(&sent, operation.Reply.Messages)
		} else {
			collect(&sent, operation.Messages)
		}
	}
	want := []string{
		"trades/update", "trades/gap", "book/snapshot", "book/delta", "book/stale", "kline/snapshot", "kline/update",
		"orders/snapshot", "orders/update", "positions/snapshot", "positions/update", "account/snapshot", "account/update",
	}
	for _, op := range api.StreamServerOps() {
		want = append(want, string(op))
	}
	sameSet(t, "sent", sent, want)
	sameSet(t, "received", received, texts(api.StreamClientOps()))
}

// kindOf names a message by its op, or by the kind of its topic and its type.
func kindOf(payload map[string]any) string {
	if op, ok := payload["op"].(string); ok {
		return op
	}
	kind, _, _ := strings.Cut(fmt.Sprint(payload["channel"]), ":")
	return kind + "/" + fmt.Sprint(payload["type"])
}

func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("%s: documented %q, want %q", what, got, want)
	}
}

// The decoder accepts every example of a client message.
func TestStreamClientExamplesAreAccepted(t *testing.T) {
	doc := asyncAPI(t)
	schemas := doc.schemas(t)
	for _, op := range api.StreamClientOps() {
		message := doc.Components.Messages[string(op)]
		for _, example := range message.Examples {
			data, err := json.Marshal(example.Payload)
			if err != nil {
				t.Fatal(err)
			}
			r, err := api.DecodeStreamRequest(data)
			if err != nil || r.Op != op {
				t.Errorf("%s %s: request = %+v, error %v, want op %s", op, example.Name, r, err, op)
			}
			schema := schemas[reference(message.Payload)].Value
			if err := conforms(schema, data); err != nil {
				t.Errorf("%s %s: %v", op, example.Name, err)
			}
			if extra := undocumented(schema, decode(t, data), string(op)); len(extra) > 0 {
				t.Errorf("undocumented fields = %q, want none", extra)
			}
		}
	}
}

// The encoders produce every example of a service message, and it conforms to its
// schema.
func TestStreamServerExamplesAreProduced(t *testing.T) {
	doc := asyncAPI(t)
	schemas := doc.schemas(t)
	written := writtenExamples(t)
	for _, op := range api.StreamClientOps() {
		delete(doc.Components.Messages, string(op))
	}
	for name, message := range doc.Components.Messages {
		schema := schemas[reference(message.Payload)].Value
		for _, example := range message.Examples {
			key := name + " " + example.Name
			data, ok := written[key]
			delete(written, key)
			if !ok {
				t.Errorf("example %s is not produced, want an encoder", key)
				continue
			}
			shown, err := json.Marshal(example.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(decode(t, data), decode(t, shown)) {
				t.Errorf("%s\n got %s\nwant %s", key, data, shown)
			}
			if err := conforms(schema, data); err != nil {
				t.Errorf("%s: %v", key, err)
			}
			if extra := undocumented(schema, decode(t, data), key); len(extra) > 0 {
				t.Errorf("undocumented fields = %q, want none", extra)
			}
		}
	}
	if len(written) > 0 {
		t.Errorf("document lacks the examples %q", slices.Sorted(maps.Keys(written)))
	}
}

// writtenExamples returns the examples of service messages in the document, as the
// encoders produce them.
func writtenExamples(t *testing.T) map[string][]byte {
	t.Helper()
	_, err := api.DecodeStreamRequest([]byte(`{"op":"dance"}`))
	invalid, ok := errors.AsType[*venues.Error](err)
	if !ok {
		t.Fatal(err)
	}
	return map[string][]byte{
		"welcome welcome":             api.AppendWelcome(nil, "conn_01M7W411000000000000000000", timestamp),
		"authenticated authenticated": api.AppendAuthReply(nil, `"a-1"`, []string{"read", "trade"}),
		"subscribed subscribed": api.AppendTopicsReply(nil, api.OpSubscribe, "2",
			[]string{"book:binance:BTCUSDT:20", "trades:okx:BTCUSDT", "orders"},
			[]api.StreamRejection{
				{Topic: "account", Code: api.StreamScopeRequired, Message: "the key lacks the scope account", Reason: venues.CodeScopeRequired},
				{Topic: "book:binance:NOPE:20", Code: api.StreamUnknownTopic, Message: "no instrument NOPE on binance", Reason: venues.CodeNotFound},
			}),
		"unsubscribed unsubscribed": api.AppendTopicsReply(nil, api.OpUnsubscribe, "3", []string{"trades:okx:BTCUSDT"},
			[]api.StreamRejection{{Topic: "positions", Code: api.StreamUnknownTopic, Message: "not subscribed", Reason: venues.CodeNotFound}}),
		"pong pong":        api.AppendPong(nil, "", timestamp),
		"error badMessage": api.AppendStreamError(nil, "", api.StreamBadMessage, invalid.Message, invalid.Details),
		"error unauthorized": api.AppendStreamError(nil, `"a-1"`, api.StreamUnauthorized,
			"the API key is missing, wrong or expired", map[string]any{"reason": "unauthorized"}),
		"error tooManyChannels": api.AppendStreamError(nil, "4", api.StreamLimit, "too many channels", map[string]any{"limit": 200, "have": 199}),

		"trade trade":     api.StreamEncoder{}.AppendTrade(nil, sampleTrade()),
		"gap counted":     api.StreamEncoder{}.AppendGap(nil, "trades:bybit:ETHUSDT", 16, 7, timestamp),
		"gap unknown":     api.StreamEncoder{}.AppendGap(nil, "trades:bybit:ETHUSDT", 0, 0, timestamp),
		"book snapshot":   exampleBook(venues.MessageSnapshot, 41, levels(640000, 1500, 639999, 2), levels(640001, 12000)),
		"book delta":      exampleBook(venues.MessageDelta, 42, levels(640000, 0, 639998, 250), nil),
		"stale stale":     exampleBook(venues.MessageStale, 43, nil, nil),
		"candle snapshot": exampleCandle(venues.MessageSnapshot, 3, "150.9", "150", "12345.5", "1851825", false),
		"candle closed":   exampleCandle(venues.MessageUpdate, 4, "151", "151", "12346.5", "1851976", true),
		"orders none":     api.StreamEncoder{}.AppendOrders(nil, &venues.OrdersMessage{MessageHead: privateHead("orders", venues.MessageSnapshot, 7)}),
		"order update":    exampleOrder(),
		"positions none":  api.StreamEncoder{}.AppendPositions(nil, &venues.PositionsMessage{MessageHead: privateHead("positions", venues.MessageSnapshot, 7)}),
		"position closed": examplePosition(),
		"balances one":    exampleBalance(venues.MessageSnapshot, 7, "100000", "-12.25"),
		"balance update":  exampleBalance(venues.MessageUpdate, 8, "100010", "-2.25"),
	}
}

func privateHead(topic string, kind venues.MessageType, seq uint64) venues.MessageHead {
	return venues.MessageHead{Topic: topic, Type: kind, Seq: seq, Time: timestamp}
}

func marketHead(topic string, kind venues.MessageType, seq uint64) venues.MessageHead {
	head := privateHead(topic, kind, seq)
	if kind != venues.MessageStale {
		head.VenueTime = timestamp.Add(-4 * time.Millisecond)
	}
	return head
}

// levels returns the levels of alternating prices and quantities.
func levels(numbers ...int64) []venues.Level {
	list := make([]venues.Level, 0, len(numbers)/2)
	for pair := range slices.Chunk(numbers, 2) {
		list = append(list, venues.Level{Price: pair[0], Qty: pair[1]})
	}
	return list
}

func exampleBook(kind venues.MessageType, seq uint64, bids, asks []venues.Level) []byte {
	return api.StreamEncoder{}.AppendBook(nil, &venues.BookMessage{
		MessageHead: marketHead("book:binance:BTCUSDT:5", kind, seq),
		Scale:       venues.Scale{PriceDecimals: 1, QtyDecimals: 3}, Bids: bids, Asks: asks,
	})
}

func exampleCandle(kind venues.MessageType, seq uint64, high, last, volume, turnover string, closed bool) []byte {
	m := sampleCandle()
	m.MessageHead = marketHead("kline:okx:SOLUSDT:1m", kind, seq)
	m.High, m.Close, m.Volume, m.Turnover, m.Closed = d(high), d(last), d(volume), d(turnover), closed
	return api.StreamEncoder{}.AppendCandle(nil, m)
}

func exampleOrder() []byte {
	order := venues.Order{
		OrderID: "ord_01M7W411000000000000000000", RequestID: "r-1", Exchange: venues.Binance, Status: venues.StatusPartiallyFilled,
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: d("0.5"), Price: some("64000"), TimeInForce: venues.GoodTillCancel,
		},
		FilledQty: d("0.2"), AvgPrice: some("63999.95"), Fee: some("0.01"), FeeCurrency: "USDT", Source: venues.SourceAPI, VenueOrderID: "77",
		CreatedAt: venues.At(timestamp.Add(-1123 * time.Millisecond)), UpdatedAt: venues.At(timestamp),
	}
	return api.StreamEncoder{}.AppendOrders(nil, &venues.OrdersMessage{
		MessageHead: privateHead("orders", venues.MessageUpdate, 8), Orders: []venues.Order{order},
	})
}

func examplePosition() []byte {
	position := venues.Position{
		Exchange: venues.OKX, Symbol: "ETHUSDT", Side: venues.Long, EntryPrice: some("3100"), MarkPrice: some("3120.5"), Leverage: some("10"),
		AccountType: "multi_currency", MarginMode: venues.MarginCross, Reason: venues.ClosedTakeProfit,
		OpenedAt: venues.At(timestamp.Add(-19 * time.Minute).Truncate(time.Hour)), UpdatedAt: venues.At(timestamp),
	}
	return api.StreamEncoder{}.AppendPositions(nil, &venues.PositionsMessage{
		MessageHead: privateHead("positions", venues.MessageUpdate, 8), Positions: []venues.Position{position},
	})
}

func exampleBalance(kind venues.MessageType, seq uint64, equity, unrealized string) []byte {
	balance := venues.Balance{
		Exchange: venues.Bybit, AccountType: "unified", Equity: d(equity), Available: d("90000.5"), UsedMargin: d("9999.5"),
		UnrealizedPnl: d(unrealized), Currency: "USDT",
	}
	return api.StreamEncoder{}.AppendAccount(nil, &venues.AccountMessage{
		MessageHead: privateHead("account", kind, seq), Balances: []venues.Balance{balance},
	})
}

// The document and StreamCodes list the same codes.
func TestStreamCodesAreDocumented(t *testing.T) {
	schema := asyncAPI(t).schemas(t)["Code"].Value
	var documented []string
	for _, value := range schema.Enum {
		documented = append(documented, fmt.Sprint(value))
	}
	var known []string
	for _, code := range api.StreamCodes() {
		known = append(known, fmt.Sprint(int(code)))
		closes := map[bool]string{true: "yes", false: "no"}[code.Closes()]
		if row := fmt.Sprintf("| %d | %s | %s |", int(code), code, closes); !strings.Contains(schema.Description, row) {
			t.Errorf("the table of codes lacks the row %s", row)
		}
	}
	if !slices.Equal(documented, known) {
		t.Errorf("documented %q, want %q", documented, known)
	}
}

// The pattern of topic names matches every canonical name, and no other.
func TestTopicNamesAreDocumented(t *testing.T) {
	doc := asyncAPI(t)
	pattern := regexp.MustCompile(doc.schemas(t)["Channel"].Value.Pattern)
	names := []string{"orders", "positions", "account"}
	for _, venue := range venues.All() {
		names = append(names, "trades:"+string(venue)+":BTCUSDT-260925")
		for _, depth := range venues.BookDepths() {
			names = append(names, fmt.Sprintf("book:%s:BTCUSDT:%d", venue, depth))
		}
		for timeframe := range venues.Timeframes() {
			names = append(names, fmt.Sprintf("kline:%s:BTCUSDT:%s", venue, timeframe))
		}
	}
	for _, name := range names {
		topic, ok := venues.ParseTopic(name)
		if !ok || topic.String() != name || !pattern.MatchString(name) {
			t.Errorf("%s: parsed %v, matched %v, want true and true", name, ok, pattern.MatchString(name))
		}
	}
	for _, name := range []string{"", "Orders", "orders:", "trades:nowhere:X", "trades:okx:", "book:okx:X:3", "book:okx:5", "kline:okx:X:2m"} {
		if _, ok := venues.ParseTopic(name); ok || pattern.MatchString(name) {
			t.Errorf("%q is accepted, want it rejected", name)
		}
	}
	for _, depth := range venues.BookDepths() {
		if !strings.Contains(doc.Info.Description, fmt.Sprint(depth)) {
			t.Errorf("introduction lacks depth %d", depth)
		}
	}
}

func TestStreamLimitsAreDocumented(t *testing.T) {
	limits := asyncAPI(t).Limits
	for name, want := range map[string]int{
		"channelsPerConnection": api.StreamTopicsMax,
		"channelsPerMessage":    api.StreamTopicsMax,
		"pingIntervalSec":       int(api.StreamPingInterval / time.Second),
		"silenceSecMax":         int(api.StreamIdleMax / time.Second),
		"authSecMax":            int(api.StreamAuthWait / time.Second),
		"messageBytesMax":       api.StreamFrameBytesMax,
		"badMessagesMax":        api.StreamBadMessagesMax,
	} {
		if limits[name] != want {
			t.Errorf("%s: documented %d, want %d", name, limits[name], want)
		}
	}
}
