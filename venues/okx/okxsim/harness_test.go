package okxsim_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
)

const (
	btc      = "BTC-USDT-SWAP"
	patience = time.Minute
)

// venue is a running simulator with a client of its own, written against the
// venue's documentation and not with the simulator's code.
type venue struct {
	testing.TB
	sim         *okxsim.Sim
	endpoints   okxsim.Endpoints
	credentials simcore.Credentials
	http        *http.Client
	expTime     string
}

func start(t testing.TB, options okxsim.Options) *venue {
	t.Helper()
	sim, err := okxsim.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, sim)
}

// serve starts a simulator that is set up.
func serve(t testing.TB, sim *okxsim.Sim) *venue {
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
func quiet(t testing.TB) *venue {
	return start(t, okxsim.Options{Quiet: true, Seed: 1, RateLimits: okxsim.RateLimits{Off: true}})
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

type object = map[string]any

// reply is an answer of the venue.
type reply struct {
	status int
	raw    string
	Code   string
	Msg    string
	Data   []object
}

// sCode is the code of the first item.
func (r reply) sCode() string {
	if len(r.Data) == 0 {
		return ""
	}
	code, _ := r.Data[0]["sCode"].(string)
	return code
}

func sign(secret, payload string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (v *venue) now() time.Time { return v.sim.Exchange().Clock().Now() }

func (v *venue) request(method, target, body string) *http.Request {
	v.Helper()
	request, err := http.NewRequestWithContext(v.Context(), method, v.endpoints.RestURL+target, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	stamp := v.now().UTC().Format("2006-01-02T15:04:05.000Z")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("OK-ACCESS-KEY", v.credentials.APIKey)
	request.Header.Set("OK-ACCESS-PASSPHRASE", v.credentials.Passphrase)
	request.Header.Set("OK-ACCESS-TIMESTAMP", stamp)
	request.Header.Set("OK-ACCESS-SIGN", sign(v.credentials.APISecret, stamp+method+target+body))
	if v.expTime != "" {
		request.Header.Set("expTime", v.expTime)
	}
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
	r := reply{status: response.StatusCode, raw: string(body)}
	// Bodies that are no objects are looked at as text.
	_ = json.Unmarshal(body, &r)
	return r
}

func (v *venue) get(target string) reply {
	v.Helper()
	return v.do(v.request(http.MethodGet, "/api/v5"+target, ""))
}

func (v *venue) post(target, body string) reply {
	v.Helper()
	return v.do(v.request(http.MethodPost, "/api/v5"+target, body))
}

// order places an order that must be taken and answers its id.
func (v *venue) order(body string) string {
	v.Helper()
	r := v.post("/trade/order", body)
	if r.Code != "0" || r.sCode() != "0" {
		v.Fatalf("order %s: %s", body, r.raw)
	}
	return r.Data[0]["ordId"].(string)
}

// one is the only record of an answer.
func (v *venue) one(r reply) object {
	v.Helper()
	if r.Code != "0" || len(r.Data) != 1 {
		v.Fatalf("want one record: %d %s", r.status, r.raw)
	}
	return r.Data[0]
}

func (v *venue) control(path, body string) {
	v.Helper()
	request, err := http.NewRequestWithContext(v.Context(), http.MethodPost, v.endpoints.ControlURL+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	if r := v.do(request); r.status != http.StatusOK {
		v.Fatalf("%s %s: %s", path, body, r.raw)
	}
}

// stream is a WebSocket connection with its messages in order.
type stream struct {
	testing.TB
	conn     *websocket.Conn
	messages chan object
}

func (v *venue) stream(socket string) *stream {
	v.Helper()
	conn, response, err := websocket.DefaultDialer.Dial(v.endpoints.WsURL+"/ws/v5/"+socket, nil)
	if err != nil {
		v.Fatalf("dial %s: %v", socket, err)
	}
	response.Body.Close()
	s := &stream{TB: v.TB, conn: conn, messages: make(chan object, 10_000)}
	go s.read()
	v.Cleanup(func() { conn.Close() })
	return s
}

// loggedIn is a stream of the demo account.
func (v *venue) loggedIn(socket string) *stream {
	v.Helper()
	s := v.stream(socket)
	s.send(v.loginText(v.credentials.APISecret))
	if m := s.next(); m["event"] != "login" {
		v.Fatalf("login: %v", m)
	}
	return s
}

func (v *venue) loginText(secret string) string {
	stamp := strconv.FormatInt(v.now().Unix(), 10)
	return `{"op":"login","args":[{"apiKey":"` + v.credentials.APIKey + `","passphrase":"` + v.credentials.Passphrase +
		`","timestamp":"` + stamp + `","sign":"` + sign(secret, stamp+"GET/users/self/verify") + `"}]}`
}

func (s *stream) read() {
	defer close(s.messages)
	for {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		var message object
		decoder := json.NewDecoder(strings.NewReader(string(data)))
		decoder.UseNumber()
		if decoder.Decode(&message) != nil {
			message = object{"text": string(data)}
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

// subscribe asks for one channel and waits for the acknowledgement.
func (s *stream) subscribe(arg string) {
	s.Helper()
	s.send(`{"op":"subscribe","args":[` + arg + `]}`)
	for {
		m := s.next()
		if m["event"] == "error" {
			s.Fatalf("subscribe %s: %v", arg, m)
		}
		if m["event"] == "subscribe" {
			return
		}
	}
}

// next is the next message; the test fails if none comes.
func (s *stream) next() object {
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

// push skips to the next push of a channel that holds, and answers its first
// record.
func (s *stream) push(channel string, holds func(message, first object) bool) object {
	s.Helper()
	for {
		m := s.next()
		arg, _ := m["arg"].(object)
		rows, _ := m["data"].([]any)
		if arg == nil || arg["channel"] != channel || m["event"] != nil {
			continue
		}
		first := object{}
		if len(rows) > 0 {
			first, _ = rows[0].(object)
		}
		if holds(m, first) {
			return first
		}
	}
}

func state(word string) func(_, first object) bool {
	return func(_, first object) bool { return first["state"] == word }
}

func expect(t testing.TB, record object, want object) {
	t.Helper()
	for name, value := range want {
		if record[name] != value {
			t.Errorf("%s = %v, want %v", name, record[name], value)
		}
	}
}

func unixMilli(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
