package bybitsim_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/shopspring/decimal"
	"go.uber.org/goleak"

	"venuegate/venues"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore"
)

// No simulator may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// venue is a running simulator with a client of its own, written against the
// venue's documentation and not with the simulator's code.
type venue struct {
	testing.TB
	sim         *bybitsim.Sim
	endpoints   bybitsim.Endpoints
	credentials simcore.Credentials
	http        *http.Client
}

func start(t testing.TB, options bybitsim.Options) *venue {
	t.Helper()
	sim, err := bybitsim.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, sim)
}

func serve(t testing.TB, sim *bybitsim.Sim) *venue {
	t.Helper()
	sim.Serve(listen(t), listen(t))
	v := &venue{
		TB: t, sim: sim, endpoints: sim.Endpoints(), credentials: sim.DemoAccount().Credentials,
		http: &http.Client{Timeout: patience, Transport: &http.Transport{}},
	}
	t.Cleanup(func() {
		v.http.CloseIdleConnections()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// quiet is a simulator whose market only moves when told to.
func quiet(t testing.TB) *venue { return start(t, bybitsim.Options{Quiet: true, Seed: 1}) }

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// reply is an answer of the venue.
type reply struct {
	status int
	header http.Header
	body   []byte
}

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
	if err := json.Unmarshal(r.body, &a); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return a
}

func (r reply) code(t testing.TB) int { return r.answer(t).RetCode }

// result is the result object of a success.
func (r reply) result(t testing.TB) map[string]any {
	t.Helper()
	a := r.answer(t)
	if a.RetCode != 0 {
		t.Fatalf("%s", r.body)
	}
	return object(t, a.Result)
}

// rows are the list of a success.
func (r reply) rows(t testing.TB) []map[string]any {
	t.Helper()
	list, ok := r.result(t)["list"].([]any)
	if !ok {
		t.Fatalf("no list: %s", r.body)
	}
	rows := make([]map[string]any, len(list))
	for i := range list {
		rows[i] = list[i].(map[string]any)
	}
	return rows
}

func object(t testing.TB, data []byte) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var body map[string]any
	if err := decoder.Decode(&body); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return body
}

func hmacHex(secret, payload string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return hex.EncodeToString(mac.Sum(nil))
}

func (v *venue) now() time.Time { return v.sim.Exchange().Clock().Now() }

// request is a signed request; body is empty for GET.
func (v *venue) request(method, path, query, body string, at time.Time) *http.Request {
	v.Helper()
	address := v.endpoints.RestURL + path
	if query != "" {
		address += "?" + query
	}
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	timestamp := strconv.FormatInt(at.UnixMilli(), 10)
	const window = "5000"
	request.Header.Set("X-BAPI-API-KEY", v.credentials.APIKey)
	request.Header.Set("X-BAPI-TIMESTAMP", timestamp)
	request.Header.Set("X-BAPI-RECV-WINDOW", window)
	request.Header.Set("X-BAPI-SIGN", hmacHex(v.credentials.APISecret, timestamp+v.credentials.APIKey+window+query+body))
	return request
}

func (v *venue) do(request *http.Request) reply {
	v.Helper()
	response, err := v.http.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.Fatal(err)
	}
	return reply{status: response.StatusCode, header: response.Header, body: body}
}

func (v *venue) get(path, query string) reply {
	v.Helper()
	return v.do(v.request(http.MethodGet, path, query, "", v.now()))
}

func (v *venue) post(path, body string) reply {
	v.Helper()
	return v.do(v.request(http.MethodPost, path, "", body, v.now()))
}

// order is the body of an order of 0.01 BTC with changes.
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

// market is the body of a market order.
func market(changes ...string) string {
	return order(append([]string{"orderType=Market", "price="}, changes...)...)
}

// placed places an order that must be taken and answers its id.
func (v *venue) placed(body string) string {
	v.Helper()
	return v.post("/v5/order/create", body).result(v)["orderId"].(string)
}

// found is the order as realtime shows it.
func (v *venue) found(orderID string) map[string]any {
	v.Helper()
	rows := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT&orderId="+orderID).rows(v)
	if len(rows) != 1 {
		v.Fatalf("%d orders %s", len(rows), orderID)
	}
	return rows[0]
}

// position is the one-way position in BTCUSDT.
func (v *venue) position() map[string]any {
	v.Helper()
	return v.get("/v5/position/list", "category=linear&symbol=BTCUSDT").rows(v)[0]
}

// script makes a call of the control API that must succeed.
func (v *venue) script(method, path, body string) map[string]any {
	v.Helper()
	request, err := http.NewRequest(method, v.endpoints.ControlURL+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r := v.do(request)
	if r.status != http.StatusOK {
		v.Fatalf("%s %s %s: %d %s", method, path, body, r.status, r.body)
	}
	return object(v, r.body)
}

func (v *venue) move(price string) {
	v.Helper()
	v.script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","price":"`+price+`"}`)
}

// stream is a WebSocket connection with its messages in order.
type stream struct {
	testing.TB
	conn     *websocket.Conn
	messages chan map[string]any
}

func (v *venue) stream(path string) *stream {
	v.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(v.endpoints.WsURL+path, nil)
	if err != nil {
		v.Fatalf("dial %s: %v", path, err)
	}
	s := &stream{TB: v.TB, conn: conn, messages: make(chan map[string]any, 10_000)}
	go s.read()
	v.Cleanup(func() { conn.Close() })
	return s
}

func (s *stream) read() {
	defer close(s.messages)
	for {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		decoder := json.NewDecoder(strings.NewReader(string(data)))
		decoder.UseNumber()
		var message map[string]any
		if decoder.Decode(&message) != nil {
			message = map[string]any{"undecodable": string(data)}
		}
		s.messages <- message
	}
}

func (s *stream) send(text string) {
	s.Helper()
	if err := s.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		s.Fatal(err)
	}
}

const patience = time.Minute

// next is the next message; the test fails if none comes.
func (s *stream) next() map[string]any {
	s.Helper()
	select {
	case message, ok := <-s.messages:
		if !ok {
			s.Fatal("stream closed")
		}
		return message
	case <-time.After(patience):
		s.Fatal("no message")
	}
	return nil
}

// nextWhere skips to the next message whose member has a value.
func (s *stream) nextWhere(member, value string) map[string]any {
	s.Helper()
	for {
		if message := s.next(); message[member] == value {
			return message
		}
	}
}

// data is the first record of the next message of a topic.
func (s *stream) data(topic string) map[string]any {
	s.Helper()
	return s.nextWhere("topic", topic)["data"].([]any)[0].(map[string]any)
}

// closed waits for the end of the stream.
func (s *stream) closed() {
	s.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, ok := <-s.messages:
			if !ok {
				return
			}
		case <-deadline:
			s.Fatal("stream stays open")
		}
	}
}

func (v *venue) authArgs() string {
	expires := strconv.FormatInt(v.now().Add(10*time.Second).UnixMilli(), 10)
	return `"args":["` + v.credentials.APIKey + `",` + expires + `,"` + hmacHex(v.credentials.APISecret, "GET/realtime"+expires) + `"]`
}

// private opens the private stream of the account with all its topics.
func (v *venue) private(topics ...string) *stream {
	v.Helper()
	s := v.stream("/v5/private")
	s.send(`{"op":"auth",` + v.authArgs() + `}`)
	if m := s.nextWhere("op", "auth"); m["success"] != true {
		v.Fatalf("%v", m)
	}
	if len(topics) == 0 {
		topics = []string{"order", "execution", "position", "wallet"}
	}
	list, err := json.Marshal(topics)
	if err != nil {
		v.Fatal(err)
	}
	s.send(`{"op":"subscribe","args":` + string(list) + `}`)
	if m := s.nextWhere("op", "subscribe"); m["success"] != true {
		v.Fatalf("%v", m)
	}
	return s
}

// public opens the public stream and subscribes.
func (v *venue) public(topics string) *stream {
	v.Helper()
	s := v.stream("/v5/public/linear")
	s.send(`{"req_id":"1","op":"subscribe","args":["` + topics + `"]}`)
	return s
}

// waitFor polls until a condition holds.
func (v *venue) waitFor(what string, holds func() bool) {
	v.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			v.Fatalf("waited in vain for %s", what)
		}
	}
}

// num reads a number of a message.
func num(text any) decimal.Decimal {
	switch value := text.(type) {
	case string:
		return venues.MustDecimal(value)
	case json.Number:
		return venues.MustDecimal(value.String())
	}
	return venues.MustDecimal("-999999")
}
