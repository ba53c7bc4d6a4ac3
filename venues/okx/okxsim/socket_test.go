package okxsim_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const books = `{"channel":"books","instId":"BTC-USDT-SWAP"}`

func TestRequestsOfAConnectionAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, okxsim.Options{
			Setup: simnet.Setup{Quiet: true, Now: clock.Now}, RateLimits: okxsim.RateLimits{SocketRequestsPerHour: 2},
		})
		s := v.stream("public")
		s.subscribe(books)
		s.Send(`{"op":"unsubscribe","args":[` + books + `]}`)
		s.Send(`{"id":"7","op":"subscribe","args":[` + books + `]}`)
		simtest.Expect(t, s.With("event", "error"), object{"code": "60014", "id": "7"})
		s.Send("ping")
		s.With(simtest.Text, "pong")
		v.stream("public").subscribe(books)
	})
}

func TestConnectsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, okxsim.Options{
			Setup: simnet.Setup{Quiet: true, Now: clock.Now}, RateLimits: okxsim.RateLimits{ConnectsPerSecond: 1},
		})
		v.stream("public")
		simtest.Equal(t, "status of the handshake", v.Handshake("/ws/v5/public"), http.StatusTooManyRequests)
		clock.Advance(time.Second)
		v.stream("public")
	})
}

func TestChannelsOfAHigherTierAreRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		private, public := v.loggedIn("private"), v.stream("public")
		private.Send(`{"op":"subscribe","args":[{"channel":"fills"}]}`)
		simtest.Expect(t, private.Next(), object{"event": "error", "code": "64003"})
		public.Send(`{"op":"subscribe","args":[{"channel":"books-l2-tbt","instId":"BTC-USDT-SWAP"}]}`)
		simtest.Expect(t, public.Next(), object{"event": "error", "code": "64003"})
	})
}

// A snapshot may come in mid-stream; the chain continues from there.
func TestSnapshotInMidStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("public")
		s.subscribe(books)
		whole := func(m, _ object) bool { return m["action"] == "snapshot" }
		first := s.push("books", whole)
		v.sim.RepeatSnapshots()
		again := s.push("books", whole)
		simtest.Expect(t, again, object{"seqId": first["seqId"], "prevSeqId": json.Number("-1")})
		v.order(restingBuy)
		next := s.push("books", func(m, _ object) bool { return m["action"] == "update" })
		simtest.Expect(t, next, object{"prevSeqId": again["seqId"]})
	})
}

// An unchanged book gets a heartbeat after a minute, with the same number.
func TestHeartbeatOfABook(t *testing.T) {
	options := okxsim.Options{Setup: simnet.Setup{Quiet: true}, SilenceMax: -1}
	inVirtualTime(t, options, "public", func(t *testing.T, conn *websocket.Conn) {
		send(t, conn, `{"op":"subscribe","args":[`+books+`]}`)
		read(t, conn) // the acknowledgement
		snapshot, began := read(t, conn)["data"].([]any)[0].(object), time.Now()
		beat := read(t, conn)["data"].([]any)[0].(object)
		simtest.Expect(t, beat, object{"seqId": snapshot["seqId"], "prevSeqId": snapshot["seqId"]})
		if after := time.Since(began).Round(time.Second); after != time.Minute || len(beat["bids"].([]any)) != 0 {
			t.Errorf("message after %s = %v, want one without bids after a minute", after, beat)
		}
	})
}

// Account and positions are also published periodically, unless the client requests
// events only.
func TestAccountIsPublishedPeriodically(t *testing.T) {
	for extra, want := range map[string]time.Duration{
		"": 5 * time.Second, `,"extraParams":"{\"updateInterval\":\"0\"}"`: 0,
		`,"extraParams":"{ \"updateInterval\": 2000 }"`: 5 * time.Second,
	} {
		options := okxsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}}
		inVirtualTimeAs(t, options, "private", func(t *testing.T, v *venue, conn *websocket.Conn) {
			send(t, conn, v.loginText(v.Credentials.APISecret))
			simtest.Expect(t, read(t, conn), object{"event": "login"})
			send(t, conn, `{"op":"subscribe","args":[{"channel":"account"`+extra+`}]}`)
			simtest.Expect(t, read(t, conn), object{"event": "subscribe"})
			simtest.Expect(t, read(t, conn), object{"event": "channel-conn-count", "channel": "account", "connCount": "1"})
			simtest.Expect(t, read(t, conn), object{"eventType": "snapshot", "lastPage": true, "curPage": json.Number("1")})
			if want == 0 {
				// Nothing more arrives: the venue closes the silent connection.
				if _, data, err := conn.ReadMessage(); !websocket.IsCloseError(err, 4004) {
					t.Errorf("read = %q, %v, want close code 4004", data, err)
				}
				return
			}
			simtest.Expect(t, read(t, conn), object{"eventType": "snapshot"})
			began := time.Now()
			simtest.Expect(t, read(t, conn), object{"eventType": "snapshot"})
			simtest.Equal(t, "interval of the snapshots", time.Since(began).Round(100*time.Millisecond), want)
		})
	}
}

func send(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, conn *websocket.Conn) object {
	t.Helper()
	_, data, err := conn.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return simtest.Decode(t, data)
}
