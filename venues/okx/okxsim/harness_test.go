package okxsim_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// No simulator may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const btc = "BTC-USDT-SWAP"

// venue is a running simulator with its own client, which is written against the
// venue's documentation and shares no code with the simulator. Its tests run in
// bubbles of virtual time, so a busy machine does not delay them.
type venue struct {
	*simtest.Client
	sim     *okxsim.Sim
	expTime string
}

func start(t testing.TB, options okxsim.Options) *venue {
	t.Helper()
	return serve(t, create(t, options))
}

// create returns a simulator that is not served yet.
func create(t testing.TB, options okxsim.Options) *okxsim.Sim {
	t.Helper()
	return simtest.Create(t, okxsim.New, options)
}

func serve(t testing.TB, sim *okxsim.Sim) *venue {
	t.Helper()
	return &venue{Client: simtest.StartInMemory(t, sim), sim: sim}
}

// quiet starts a simulator whose market moves only by script.
func quiet(t testing.TB) *venue {
	t.Helper()
	return start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, RateLimits: okxsim.RateLimits{Off: true}})
}

type object = simtest.Object

// reply is an answer of the venue.
type reply struct {
	simtest.Reply
	Code string
	Msg  string
	Data []object
}

// raw returns the answer as received.
func (r reply) raw() string { return string(r.Body) }

// sCode returns the code of the first item.
func (r reply) sCode() string {
	if len(r.Data) == 0 {
		return ""
	}
	code, _ := r.Data[0]["sCode"].(string)
	return code
}

// expectCode reports an answer with another code.
func (r reply) expectCode(t testing.TB, want string) {
	t.Helper()
	if r.Code != want {
		t.Errorf("%s: code %q, want %q: %s", r.Request, r.Code, want, r.raw())
	}
}

// expect reports an answer with another HTTP status or code.
func (r reply) expect(t testing.TB, status int, code string) {
	t.Helper()
	r.ExpectStatus(t, status)
	r.expectCode(t, code)
}

// expectItem reports an answer whose first item has another code, or whose own code
// does not fit a single item: 0 for a success, 1 for a failure.
func (r reply) expectItem(t testing.TB, want string) {
	t.Helper()
	if r.sCode() != want || len(r.Data) == 1 && (r.Code == "0") != (want == "0") {
		t.Errorf("%s: code %q of the item, want %q: %s", r.Request, r.sCode(), want, r.raw())
	}
}

func sign(secret, payload string) string {
	return base64.StdEncoding.EncodeToString(simtest.HMAC(secret, payload))
}

func (v *venue) request(method, target, body string) *http.Request {
	v.Helper()
	request := v.Request(method, target, body)
	stamp := v.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("OK-ACCESS-KEY", v.Credentials.APIKey)
	request.Header.Set("OK-ACCESS-PASSPHRASE", v.Credentials.Passphrase)
	request.Header.Set("OK-ACCESS-TIMESTAMP", stamp)
	request.Header.Set("OK-ACCESS-SIGN", sign(v.Credentials.APISecret, stamp+method+target+body))
	if v.expTime != "" {
		request.Header.Set("expTime", v.expTime)
	}
	return request
}

func (v *venue) do(request *http.Request) reply {
	v.Helper()
	r := reply{Reply: v.Do(request)}
	// Bodies that are not objects are compared as text.
	_ = json.Unmarshal(r.Body, &r)
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

// order places an order that must be accepted and returns its id.
func (v *venue) order(body string) string {
	v.Helper()
	r := v.post("/trade/order", body)
	r.expectItem(v, "0")
	return r.Data[0]["ordId"].(string)
}

// one returns the only record of an answer.
func (v *venue) one(r reply) object {
	v.Helper()
	if r.Code != "0" || len(r.Data) != 1 {
		v.Fatalf("want one record: %d %s", r.Status, r.raw())
	}
	return r.Data[0]
}

func (v *venue) control(path, body string) {
	v.Helper()
	v.Script(http.MethodPost, path, body)
}

// stream is a connection to one of the venue's sockets.
type stream struct{ *simtest.Stream }

func (v *venue) stream(socket string) *stream {
	v.Helper()
	return &stream{v.Dial("/ws/v5/" + socket)}
}

// loggedIn opens a stream of the demo account.
func (v *venue) loggedIn(socket string) *stream {
	v.Helper()
	s := v.stream(socket)
	s.Send(v.loginText(v.Credentials.APISecret))
	simtest.Expect(v, s.Next(), object{"event": "login"})
	return s
}

func (v *venue) loginText(secret string) string {
	stamp := strconv.FormatInt(v.Now().Unix(), 10)
	return `{"op":"login","args":[{"apiKey":"` + v.Credentials.APIKey + `","passphrase":"` + v.Credentials.Passphrase +
		`","timestamp":"` + stamp + `","sign":"` + sign(secret, stamp+"GET/users/self/verify") + `"}]}`
}

// subscribe subscribes to one channel and waits for the acknowledgement.
func (s *stream) subscribe(arg string) {
	s.Helper()
	s.Send(`{"op":"subscribe","args":[` + arg + `]}`)
	for {
		m := s.Next()
		if m["event"] == "error" {
			s.Fatalf("subscribe %s: %v, want a confirmation", arg, m)
		}
		if m["event"] == "subscribe" {
			return
		}
	}
}

// push skips to the next push of a channel for which holds is true, and returns its
// first record.
func (s *stream) push(channel string, holds func(message, first object) bool) object {
	s.Helper()
	for {
		m := s.Next()
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

func unixMilli(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
