package binancesim_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// No simulator may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// venue is a running simulator with its own client, which is written against the
// venue's documentation and shares no code with the simulator. Its tests run in
// bubbles of virtual time, so a busy machine does not delay them.
type venue struct {
	*simtest.Client
	sim *binancesim.Sim
}

func start(t testing.TB, options binancesim.Options) *venue {
	t.Helper()
	return serve(t, create(t, options))
}

// create returns a simulator that is not served yet.
func create(t testing.TB, options binancesim.Options) *binancesim.Sim {
	t.Helper()
	return simtest.Create(t, binancesim.New, options)
}

func serve(t testing.TB, sim *binancesim.Sim) *venue {
	t.Helper()
	return &venue{Client: simtest.StartInMemory(t, sim), sim: sim}
}

// quiet starts a simulator whose market moves only by script.
func quiet(t testing.TB) *venue {
	t.Helper()
	return start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}})
}

// reply is an answer of the venue.
type reply struct{ simtest.Reply }

func (r reply) code() int {
	var body struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return 0
	}
	return body.Code
}

// expectCode reports an answer with another error code.
func (r reply) expectCode(t testing.TB, want int) {
	t.Helper()
	if got := r.code(); got != want {
		t.Errorf("%s: code %d, want %d: %s", r.Request, got, want, r.Body)
	}
}

// expect reports an answer with another HTTP status or error code.
func (r reply) expect(t testing.TB, status, code int) {
	t.Helper()
	r.ExpectStatus(t, status)
	r.expectCode(t, code)
}

// signed sends a signed call with "name=value&..." parameters.
func (v *venue) signed(method, path, params string) reply {
	v.Helper()
	return v.do(v.request(method, path, params))
}

func (v *venue) request(method, path, params string) *http.Request {
	v.Helper()
	if params != "" {
		params += "&"
	}
	params += "recvWindow=60000&timestamp=" + strconv.FormatInt(v.Now().UnixMilli(), 10)
	query := params + "&signature=" + simtest.HMACHex(v.Credentials.APISecret, params)
	return v.rawRequest(method, path+"?"+query)
}

// rawRequest returns a request with the key but no signature.
func (v *venue) rawRequest(method, path string) *http.Request {
	v.Helper()
	request := v.Request(method, path, "")
	request.Header.Set("X-MBX-APIKEY", v.Credentials.APIKey)
	return request
}

func (v *venue) do(request *http.Request) reply {
	v.Helper()
	return reply{v.Do(request)}
}

func (v *venue) public(path string) reply { return v.do(v.rawRequest(http.MethodGet, path)) }

// order places an order that must be accepted.
func (v *venue) order(params string) map[string]any {
	v.Helper()
	r := v.signed(http.MethodPost, "/fapi/v1/order", params)
	if r.Status != http.StatusOK {
		v.Fatalf("order %s: %d %s, want 200", params, r.Status, r.Body)
	}
	return r.Object(v)
}

// rowID returns the id of a row of a list in full precision.
func (v *venue) rowID(path, params string, row int) string {
	v.Helper()
	var rows []struct {
		ID json.Number `json:"id"`
	}
	if err := json.Unmarshal(v.signed(http.MethodGet, path, params).Body, &rows); err != nil {
		v.Fatal(err)
	}
	return rows[row].ID.String()
}

// stream is a connection to one of the venue's streams.
type stream struct{ *simtest.Stream }

func (v *venue) stream(path string) *stream {
	v.Helper()
	return &stream{v.Dial(path)}
}

// nextOf skips to the next message of an event kind.
func (s *stream) nextOf(event string) simtest.Object {
	s.Helper()
	return s.With("e", event)
}

// private opens the private stream of the demo account.
func (v *venue) private() *stream {
	v.Helper()
	r := v.do(v.rawRequest(http.MethodPost, "/fapi/v1/listenKey"))
	key := r.Object(v)["listenKey"].(string)
	s := v.stream("/private/ws?listenKey=" + url.QueryEscape(key))
	s.settled()
	return s
}

// settled waits until the venue has processed everything sent so far.
func (s *stream) settled() {
	s.Helper()
	s.Send(`{"method":"LIST_SUBSCRIPTIONS","id":424242}`)
	for {
		if id, ok := s.Next()["id"].(json.Number); ok && id == "424242" {
			return
		}
	}
}
