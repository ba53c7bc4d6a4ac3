package bybitsim_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// No simulator may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// venue is a running simulator with its own client, which is written against the
// venue's documentation and shares no code with the simulator. Its tests run in
// bubbles of virtual time: the limits and windows of the venue are a second or a few,
// which a busy machine may need for two calls.
type venue struct {
	*simtest.Client
	sim *bybitsim.Sim
}

func start(t testing.TB, options bybitsim.Options) *venue {
	t.Helper()
	return serve(t, create(t, options))
}

// create returns a simulator that is not served yet.
func create(t testing.TB, options bybitsim.Options) *bybitsim.Sim {
	t.Helper()
	return simtest.Create(t, bybitsim.New, options)
}

func serve(t testing.TB, sim *bybitsim.Sim) *venue {
	t.Helper()
	return &venue{Client: simtest.StartInMemory(t, sim), sim: sim}
}

// quiet starts a simulator whose market moves only by script.
func quiet(t testing.TB) *venue {
	t.Helper()
	return start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}})
}

// reply is an answer of the venue.
type reply struct{ simtest.Reply }

// answer is the envelope.
type answer struct {
	RetCode int             `json:"retCode"`
	RetMsg  string          `json:"retMsg"`
	Result  json.RawMessage `json:"result"`
	Time    int64           `json:"time"`
}

func (r reply) answer(t testing.TB) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal(r.Body, &a); err != nil {
		t.Fatalf("%s: %v", r.Body, err)
	}
	return a
}

func (r reply) code(t testing.TB) int { return r.answer(t).RetCode }

// expectCode reports an answer with another code.
func (r reply) expectCode(t testing.TB, want int) {
	t.Helper()
	if got := r.code(t); got != want {
		t.Errorf("%s: code %d, want %d: %s", r.Request, got, want, r.Body)
	}
}

// result returns the result object of a success.
func (r reply) result(t testing.TB) map[string]any {
	t.Helper()
	a := r.answer(t)
	if a.RetCode != 0 {
		t.Fatalf("%s: code %d, want 0: %s", r.Request, a.RetCode, r.Body)
	}
	return simtest.Decode(t, a.Result)
}

// rows returns the list of a success.
func (r reply) rows(t testing.TB) []map[string]any {
	t.Helper()
	list, ok := r.result(t)["list"].([]any)
	if !ok {
		t.Fatalf("%s: %s, want a list", r.Request, r.Body)
	}
	rows := make([]map[string]any, len(list))
	for i := range list {
		rows[i] = list[i].(map[string]any)
	}
	return rows
}

// request returns a signed request; body is empty for GET.
func (v *venue) request(method, path, query, body string, at time.Time) *http.Request {
	v.Helper()
	address := v.Endpoints.RestURL + path
	if query != "" {
		address += "?" + query
	}
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	timestamp := strconv.FormatInt(at.UnixMilli(), 10)
	const window = "5000"
	request.Header.Set("X-BAPI-API-KEY", v.Credentials.APIKey)
	request.Header.Set("X-BAPI-TIMESTAMP", timestamp)
	request.Header.Set("X-BAPI-RECV-WINDOW", window)
	request.Header.Set("X-BAPI-SIGN", simtest.HMACHex(v.Credentials.APISecret, timestamp+v.Credentials.APIKey+window+query+body))
	return request
}

func (v *venue) do(request *http.Request) reply {
	v.Helper()
	return reply{v.Do(request)}
}

func (v *venue) get(path, query string) reply {
	v.Helper()
	return v.do(v.request(http.MethodGet, path, query, "", v.Now()))
}

func (v *venue) post(path, body string) reply {
	v.Helper()
	return v.do(v.request(http.MethodPost, path, "", body, v.Now()))
}

// order returns the body of an order of 0.01 BTC with changes.
func order(changes ...string) string {
	fields := map[string]json.RawMessage{
		"category": []byte(`"linear"`), "symbol": []byte(`"BTCUSDT"`), "side": []byte(`"Buy"`),
		"orderType": []byte(`"Limit"`), "qty": []byte(`"0.01"`), "price": []byte(`"60000"`),
	}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		if !json.Valid([]byte(value)) || value != "true" && value != "false" && name != "positionIdx" && name != "triggerDirection" {
			value = strconv.Quote(value)
		}
		fields[name] = json.RawMessage(value)
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// market returns the body of a market order.
func market(changes ...string) string {
	return order(append([]string{"orderType=Market", "price="}, changes...)...)
}

// placed places an order that must be accepted and returns its id.
func (v *venue) placed(body string) string {
	v.Helper()
	return v.post("/v5/order/create", body).result(v)["orderId"].(string)
}

// found returns the order as realtime shows it.
func (v *venue) found(orderID string) map[string]any {
	v.Helper()
	rows := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT&orderId="+orderID).rows(v)
	if len(rows) != 1 {
		v.Fatalf("%d orders with id %s, want 1", len(rows), orderID)
	}
	return rows[0]
}

// position returns the one-way position in BTCUSDT.
func (v *venue) position() map[string]any {
	v.Helper()
	return v.get("/v5/position/list", "category=linear&symbol=BTCUSDT").rows(v)[0]
}

func (v *venue) move(price string) {
	v.Helper()
	v.Script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","price":"`+price+`"}`)
}

// stream is a connection to one of the venue's streams.
type stream struct{ *simtest.Stream }

func (v *venue) stream(path string) *stream {
	v.Helper()
	return &stream{v.Dial(path)}
}

// data returns the first record of the next message of a topic.
func (s *stream) data(topic string) map[string]any {
	s.Helper()
	return s.With("topic", topic)["data"].([]any)[0].(map[string]any)
}

func (v *venue) authArgs() string {
	expires := strconv.FormatInt(v.Now().Add(10*time.Second).UnixMilli(), 10)
	return `"args":["` + v.Credentials.APIKey + `",` + expires + `,"` + simtest.HMACHex(v.Credentials.APISecret, "GET/realtime"+expires) + `"]`
}

// private opens the private stream of the account with all its topics.
func (v *venue) private(topics ...string) *stream {
	v.Helper()
	s := v.stream("/v5/private")
	s.Send(`{"op":"auth",` + v.authArgs() + `}`)
	simtest.Expect(v, s.With("op", "auth"), simtest.Object{"success": true})
	if len(topics) == 0 {
		topics = []string{"order", "execution", "position", "wallet"}
	}
	list, err := json.Marshal(topics)
	if err != nil {
		v.Fatal(err)
	}
	s.Send(`{"op":"subscribe","args":` + string(list) + `}`)
	simtest.Expect(v, s.With("op", "subscribe"), simtest.Object{"success": true})
	return s
}

// public opens the public stream and subscribes.
func (v *venue) public(topics string) *stream {
	v.Helper()
	s := v.stream("/v5/public/linear")
	s.Send(`{"req_id":"1","op":"subscribe","args":["` + topics + `"]}`)
	return s
}
