package binancesim_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/shopspring/decimal"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
)

// venue is a running simulator with a client of its own, written against the
// venue's documentation and not with the simulator's code.
type venue struct {
	testing.TB
	sim         *binancesim.Sim
	endpoints   binancesim.Endpoints
	credentials simcore.Credentials
	http        *http.Client
}

func start(t testing.TB, options binancesim.Options) *venue {
	t.Helper()
	sim, err := binancesim.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, sim)
}

func serve(t testing.TB, sim *binancesim.Sim) *venue {
	t.Helper()
	sim.Serve(listen(t), listen(t))
	v := &venue{
		TB: t, sim: sim, endpoints: sim.Endpoints(), credentials: sim.DemoAccount().Credentials,
		http: &http.Client{Timeout: patience, Transport: &http.Transport{}},
	}
	t.Cleanup(func() {
		v.http.CloseIdleConnections()
		closeSim(t, sim)
	})
	return v
}

func closeSim(t testing.TB, sim *binancesim.Sim) {
	t.Helper()
	if err := sim.Close(); err != nil {
		t.Error(err)
	}
}

// quiet is a simulator whose market only moves when told to.
func quiet(t testing.TB) *venue { return start(t, binancesim.Options{Quiet: true, Seed: 1}) }

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

func (r reply) code() int {
	var body struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(r.body, &body) != nil {
		return 0
	}
	return body.Code
}

func (r reply) object(t testing.TB) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return body
}

func (r reply) list(t testing.TB) []map[string]any {
	t.Helper()
	var body []map[string]any
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return body
}

func hmacHex(secret, payload string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return hex.EncodeToString(mac.Sum(nil))
}

// signed makes a signed call with "name=value&..." parameters.
func (v *venue) signed(method, path, params string) reply {
	v.Helper()
	return v.do(v.request(method, path, params))
}

func (v *venue) request(method, path, params string) *http.Request {
	v.Helper()
	if params != "" {
		params += "&"
	}
	params += "recvWindow=60000&timestamp=" + strconv.FormatInt(v.now().UnixMilli(), 10)
	query := params + "&signature=" + hmacHex(v.credentials.APISecret, params)
	return v.rawRequest(method, path+"?"+query)
}

func (v *venue) now() time.Time { return v.sim.Exchange().Clock().Now() }

func (v *venue) rawRequest(method, path string) *http.Request {
	v.Helper()
	request, err := http.NewRequest(method, v.endpoints.RestURL+path, nil)
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("X-MBX-APIKEY", v.credentials.APIKey)
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

func (v *venue) public(path string) reply { return v.do(v.rawRequest(http.MethodGet, path)) }

// order places an order that must be taken.
func (v *venue) order(params string) map[string]any {
	v.Helper()
	r := v.signed(http.MethodPost, "/fapi/v1/order", params)
	if r.status != http.StatusOK {
		v.Fatalf("order %s: %d %s", params, r.status, r.body)
	}
	return r.object(v)
}

// script makes a call of the control API that must succeed.
func (v *venue) script(method, path, body string) map[string]any {
	v.Helper()
	r := v.control(method, path, body)
	if r.status != http.StatusOK {
		v.Fatalf("%s %s %s: %d %s", method, path, body, r.status, r.body)
	}
	return r.object(v)
}

// rowID is the id of a row of a list, to the last digit.
func (v *venue) rowID(path, params string, row int) string {
	v.Helper()
	var rows []struct {
		ID json.Number `json:"id"`
	}
	if err := json.Unmarshal(v.signed(http.MethodGet, path, params).body, &rows); err != nil {
		v.Fatal(err)
	}
	return rows[row].ID.String()
}

func (v *venue) control(method, path, body string) reply {
	v.Helper()
	request, err := http.NewRequest(method, v.endpoints.ControlURL+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	return v.do(request)
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

// rawStream is a WebSocket connection with its messages as bytes.
func (v *venue) rawStream(path string) <-chan []byte {
	v.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(v.endpoints.WsURL+path, nil)
	if err != nil {
		v.Fatalf("dial %s: %v", path, err)
	}
	messages := make(chan []byte, 10_000)
	go func() {
		defer close(messages)
		for {
			_, data, err := conn.ReadMessage()
			if err != nil {
				return
			}
			messages <- data
		}
	}()
	v.Cleanup(func() { conn.Close() })
	return messages
}

func (s *stream) read() {
	defer close(s.messages)
	for {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		var message map[string]any
		decoder := json.NewDecoder(strings.NewReader(string(data)))
		decoder.UseNumber()
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

// patience is how long a test waits for what must come; only a test that fails
// spends it.
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

// nextOf skips to the next message of an event kind.
func (s *stream) nextOf(event string) map[string]any {
	s.Helper()
	for {
		if message := s.next(); message["e"] == event {
			return message
		}
	}
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

// waitFor polls until a condition holds.
func (v *venue) waitFor(what string, holds func() bool) {
	v.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			v.Fatalf("waited in vain for %s", what)
		}
	}
}

// private opens the private stream of the demo account.
func (v *venue) private() *stream {
	v.Helper()
	r := v.do(v.rawRequest(http.MethodPost, "/fapi/v1/listenKey"))
	key := r.object(v)["listenKey"].(string)
	s := v.stream("/private/ws?listenKey=" + url.QueryEscape(key))
	s.settled()
	return s
}

// settled waits until the venue has heard all that was sent so far.
func (s *stream) settled() {
	s.Helper()
	s.send(`{"method":"LIST_SUBSCRIPTIONS","id":424242}`)
	for {
		if id, ok := s.next()["id"].(json.Number); ok && id == "424242" {
			return
		}
	}
}

func num(text any) decimal.Decimal {
	switch value := text.(type) {
	case string:
		return decimal.RequireFromString(value)
	case json.Number:
		return decimal.RequireFromString(value.String())
	}
	return decimal.RequireFromString("-999999")
}
