package okxsim_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const positionsChannel = `{"channel":"positions","instType":"ANY","extraParams":"{\"updateInterval\":\"0\"}"}`

// A snapshot comes in numbered pages, the last one marked; changes are not numbered.
func TestSnapshotsComeInPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{
			Setup: simnet.Setup{Quiet: true, Seed: 1}, RateLimits: okxsim.RateLimits{Off: true}, SnapshotRowsMax: 2,
		})
		s := v.loggedIn("private")
		s.subscribe(positionsChannel)
		empty := s.Where(func(m object) bool { return m["eventType"] == "snapshot" })
		simtest.Expect(t, empty, object{"curPage": json.Number("1"), "lastPage": true})
		for _, symbol := range []string{"BTC", "ETH", "SOL", "XRP", "ADA"} {
			v.order(`{"instId":"` + symbol + `-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
			m := s.Where(func(m object) bool { return m["eventType"] == "event_update" })
			simtest.Expect(t, m, object{"curPage": nil, "lastPage": nil})
		}
		again := v.loggedIn("private")
		again.subscribe(positionsChannel)
		held := map[any]bool{}
		for n, want := range []struct {
			rows int
			last bool
		}{{2, false}, {2, false}, {1, true}} {
			page := again.Where(func(m object) bool { return m["eventType"] == "snapshot" })
			rows, _ := page["data"].([]any)
			if number, _ := page["curPage"].(json.Number).Int64(); int(number) != n+1 || len(rows) != want.rows || page["lastPage"] != want.last {
				t.Errorf("page %d = %v, want curPage %d, %d rows and lastPage %v", n+1, page, n+1, want.rows, want.last)
			}
			for _, row := range rows {
				held[row.(object)["instId"]] = true
			}
		}
		simtest.Equal(t, "positions", len(held), 5)
	})
}

// A client chooses the interval of its positions.
func TestPositionsArePublishedAtTheRequestedInterval(t *testing.T) {
	for asked, want := range map[string]time.Duration{"2000": 2 * time.Second, "3000": 3 * time.Second, "4000": 4 * time.Second, "700": 5 * time.Second} {
		options := okxsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}}
		inVirtualTimeAs(t, options, "private", func(t *testing.T, v *venue, conn *websocket.Conn) {
			send(t, conn, v.loginText(v.Credentials.APISecret))
			send(t, conn, `{"op":"subscribe","args":[{"channel":"positions","instType":"ANY","extraParams":"{\"updateInterval\":\"`+asked+`\"}"}]}`)
			var published []time.Time
			for len(published) < 4 {
				if m := read(t, conn); m["eventType"] == "snapshot" {
					published = append(published, time.Now())
				}
			}
			simtest.Equal(t, "interval for "+asked, published[3].Sub(published[2]).Round(100*time.Millisecond), want)
		})
	}
}
