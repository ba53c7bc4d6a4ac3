package okxsim_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fasthttp/websocket"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const ordersChannel = `{"channel":"orders","instType":"ANY"}`

// count returns the number of connections of a channel that the venue sends after the
// acknowledgement of a subscription.
func (s *stream) count(arg, event string) any {
	s.Helper()
	s.subscribe(arg)
	return s.With("event", event)["connCount"]
}

func TestConnectionsOfAChannelAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: okxsim.RateLimits{ConnsPerChannel: 2}})
		const counted, rejected = "channel-conn-count", "channel-conn-count-error"
		first, second, third := v.loggedIn("private"), v.loggedIn("private"), v.loggedIn("private")
		simtest.Equal(t, "connections after the first", first.count(ordersChannel, counted), "1")
		simtest.Equal(t, "connections after the second", second.count(ordersChannel, counted), "2")
		second.subscribe(`{"channel":"orders","instType":"SWAP"}`) // another argument of the same channel
		simtest.Equal(t, "connections when the third is rejected", third.count(ordersChannel, rejected), "2")
		simtest.Equal(t, "connections of another channel", third.count(`{"channel":"account"}`, counted), "1")
		v.order(restingBuy)
		first.push("orders", state("live"))
		second.push("orders", state("live"))
		third.push("account", func(m, _ object) bool { return m["eventType"] == "event_update" })
		for drained := false; !drained; {
			select {
			case m := <-third.Messages:
				if arg, _ := m["arg"].(object); arg["channel"] == "orders" {
					t.Errorf("a rejected subscription receives %v, want no message of channel orders", m)
				}
			default:
				drained = true
			}
		}
		if err := first.Conn.Close(); err != nil {
			t.Fatal(err)
		}
		v.WaitFor("a free place", func() bool {
			third.subscribe(ordersChannel)
			return third.Where(func(m object) bool { return m["channel"] == "orders" })["event"] == counted
		})
	})
}

func TestEveryAccountHasItsOwnConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: okxsim.RateLimits{ConnsPerChannel: 1}})
		v.loggedIn("private").count(ordersChannel, "channel-conn-count")
		other, err := v.sim.NewAccount()
		if err != nil {
			t.Fatal(err)
		}
		v.Credentials = other.Credentials
		simtest.Equal(t, "connections of another account", v.loggedIn("private").count(ordersChannel, "channel-conn-count"), "1")
	})
}

func TestChannelsOfAConnectionAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: okxsim.RateLimits{ChannelsPerConn: 2}})
		conn := v.DialRaw("/ws/v5/public")
		send(t, conn, `{"op":"subscribe","args":[{"channel":"trades","instId":"BTC-USDT-SWAP"},{"channel":"trades","instId":"BTC-USDT-SWAP"},`+
			`{"channel":"trades","instId":"ETH-USDT-SWAP"},{"channel":"trades","instId":"SOL-USDT-SWAP"}]}`)
		closedWith(t, conn, 4009)
	})
}

func TestRequestsAreOfLimitedLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		conn := v.DialRaw("/ws/v5/public")
		send(t, conn, `{"op":"subscribe","args":["`+strings.Repeat("x", 64<<10)+`"]}`)
		closedWith(t, conn, 1009)
	})
}

func TestRepeatedLoginIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		for _, secret := range []string{v.Credentials.APISecret, "wrong"} {
			s.Send(v.loginText(secret))
			simtest.Expect(t, s.Next(), object{"event": "error", "code": "60031"})
		}
		// The connection stays open and logged in.
		s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		id := v.order(restingBuy)
		simtest.Expect(t, s.push("orders", state("live")), object{"ordId": id})
	})
}

// closedWith reads a connection to its end.
func closedWith(t *testing.T, conn *websocket.Conn, code int) {
	t.Helper()
	for {
		if _, data, err := conn.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, code) {
				t.Errorf("read = %q, %v, want close code %d", data, err, code)
			}
			return
		}
	}
}

// Reference data is published after the subscription and on changes.
func TestReferenceChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("public")
		for arg, want := range map[string]object{
			`{"channel":"price-limit","instId":"BTC-USDT-SWAP"}`:   {"instId": btc, "enabled": true},
			`{"channel":"index-tickers","instId":"BTC-USDT"}`:      {"instId": "BTC-USDT", "idxPx": "65000"},
			`{"channel":"funding-rate","instId":"BTC-USDT-SWAP"}`:  {"instId": btc, "fundingRate": "0.0001"},
			`{"channel":"open-interest","instId":"BTC-USDT-SWAP"}`: {"instId": btc, "instType": "SWAP"},
		} {
			s.subscribe(arg)
			channel := simtest.Decode(t, []byte(arg))["channel"].(string)
			simtest.Expect(t, s.push(channel, func(_, _ object) bool { return true }), want)
		}
		v.Market(`{"symbol":"BTCUSDT","index":"64900"}`)
		simtest.Expect(t, s.push("index-tickers", func(_, first object) bool { return first["idxPx"] != "65000" }), object{"idxPx": "64900"})
		s.Send(`{"op":"subscribe","args":[{"channel":"index-tickers","instId":"BTC-USDT-SWAP"}]}`)
		simtest.Expect(t, s.With("event", "error"), object{"code": "60018"})
	})
}

func TestMaintenanceIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("public")
		s.subscribe(`{"channel":"status"}`)
		v.InjectFault(`{"match":{"path":"/api/v5/trade"},"do":"maintenance"}`)
		simtest.Expect(t, s.push("status", state("ongoing")), object{"serviceType": "5", "env": "1"})
		v.Script("DELETE", "/faults", "")
		s.push("status", state("completed"))
	})
}
