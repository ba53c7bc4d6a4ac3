package bybitsim_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// trader is an order entry socket.
type trader struct {
	*stream
	v  *venue
	id int
}

func (v *venue) trader() *trader {
	v.Helper()
	s := &trader{stream: v.stream("/v5/trade"), v: v}
	s.Send(`{"op":"auth",` + v.authArgs() + `}`)
	if m := s.Next(); code(m) != 0 || m["op"] != "auth" {
		v.Fatalf(`m = %v, want code(m) == 0 && m["op"] == "auth"`, m)
	}
	return s
}

// submit sends an operation under its own id and returns the id.
func (s *trader) submit(op, arg string) string {
	s.Helper()
	s.id++
	return s.askAs(strconv.Itoa(s.id), op, arg, s.v.Now())
}

func (s *trader) askAs(id, op, arg string, at time.Time) string {
	s.Helper()
	s.Send(fmt.Sprintf(`{"reqId":%q,"header":{"X-BAPI-TIMESTAMP":"%d","X-BAPI-RECV-WINDOW":"5000"},"op":%q,"args":[%s]}`,
		id, at.UnixMilli(), op, arg))
	return id
}

// call submits an operation and returns the answer.
func (s *trader) call(op, arg string) map[string]any {
	s.Helper()
	return s.With("reqId", s.submit(op, arg))
}

func code(m map[string]any) int64 { return simtest.Num(m["retCode"]).IntPart() }

func header(m map[string]any, name string) any {
	fields, _ := m["header"].(map[string]any)
	return fields[name]
}

// The order entry socket has the effects and the limits of REST.
func TestTradeSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.trader()
		created := s.call("order.create", order("orderLinkId=ws"))
		if code(created) != 0 || created["op"] != "order.create" || header(created, "X-Bapi-Limit") != "10" || header(created, "X-Bapi-Limit-Status") != "9" {
			t.Errorf(`created = %v, want code(created) == 0 && created["op"] == "order.create" && header(created, "X-Bapi-Limit") == "10" && header(created, "X-Bapi-Limit-Status") == "9"`, created)
		}
		if r := v.post("/v5/order/create", order("orderLinkId=rest")); r.Header.Get("X-Bapi-Limit-Status") != "8" {
			t.Errorf(`the limit is not shared: %v, want r.Header.Get("X-Bapi-Limit-Status") == "8"`, r.Header)
		}
		id := created["data"].(map[string]any)["orderId"].(string)
		amended := s.call("order.amend", `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"ws","price":"60100"}`)
		if code(amended) != 0 || amended["data"].(map[string]any)["orderId"] != id {
			t.Errorf(`amended = %v, want code(amended) == 0 && amended["data"].(map[string]any)["orderId"] == id`, amended)
		}
		if o := v.found(id); o["price"] != "60100" || o["orderStatus"] != "New" {
			t.Errorf(`o = %v, want o["price"] == "60100" && o["orderStatus"] == "New"`, o)
		}
		cancel := `{"category":"linear","symbol":"BTCUSDT","orderId":"` + id + `"}`
		if m := s.call("order.cancel", cancel); code(m) != 0 {
			t.Errorf("m = %v, want code(m) == 0", m)
		}
		if m := s.call("order.cancel", cancel); code(m) != 110001 || header(m, "Timenow") == nil || len(m["data"].(map[string]any)) != 0 {
			t.Errorf(`m = %v, want code(m) == 110001 && header(m, "Timenow") != nil && len(m["data"].(map[string]any)) == 0`, m)
		}
		s.Send(`{"op":"ping"}`)
		if m := s.Next(); m["op"] != "pong" || code(m) != 0 {
			t.Errorf(`m = %v, want m["op"] == "pong" && code(m) == 0`, m)
		}
	})
}

func TestTradeSocketRejectsMalformedRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		unauthenticated := &trader{stream: v.stream("/v5/trade"), v: v}
		if m := unauthenticated.call("order.create", order()); code(m) != 10005 || m["header"] != nil || m["data"] != nil {
			t.Errorf(`without a login: %v, want code(m) == 10005 && m["header"] == nil && m["data"] == nil`, m)
		}
		unauthenticated.Send(`{"op":"auth","args":["` + v.Credentials.APIKey + `",99999999999999,"00"]}`)
		if m := unauthenticated.Next(); code(m) != 10004 {
			t.Errorf("bad signature: %v, want code(m) == 10004", m)
		}
		s := v.trader()
		for _, c := range []struct {
			name   string
			submit func() string
			want   int64
		}{
			{"unknown operation", func() string { return s.submit("order.create-batch", order()) }, 10404},
			{"late", func() string { return s.askAs("late", "order.create", order(), v.Now().Add(-6*time.Second)) }, 10002},
			{"early", func() string { return s.askAs("early", "order.create", order(), v.Now().Add(1500*time.Millisecond)) }, 10002},
			{"two at once", func() string { return s.submit("order.create", order()+","+order()) }, 10001},
			{"a name twice", func() string { return s.askAs("late", "order.create", order(), v.Now()) }, 20006},
			{"a long name", func() string { return s.askAs(strings.Repeat("x", 37), "order.create", order(), v.Now()) }, 10001},
			{"too much", func() string { return s.submit("order.create", order("qty=1000")) }, 110007},
		} {
			if m := s.With("reqId", c.submit()); code(m) != c.want {
				t.Errorf("%s: %v, want %d", c.name, m, c.want)
			}
		}
		if rows := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t); len(rows) != 0 {
			t.Errorf("rows = %v, want len(rows) == 0", rows)
		}
	})
}

func TestTradeSocketLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, RateLimits: bybitsim.RateLimits{TradePerSecond: 2, EndpointSpan: time.Minute}})
		s := v.trader()
		for range 2 {
			if m := s.call("order.create", order()); code(m) != 0 {
				t.Errorf("m = %v, want code(m) == 0", m)
			}
		}
		if m := s.call("order.create", order()); code(m) != 10006 || header(m, "X-Bapi-Limit-Status") != "0" {
			t.Errorf(`m = %v, want code(m) == 10006 && header(m, "X-Bapi-Limit-Status") == "0"`, m)
		}
	})
}

// Faults of requests apply to the operations of the socket.
func TestTradeSocketFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		at := func(do string) {
			v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/trade","op":"order.create"},"times":1,`+do+`}`)
		}
		orders := func(link string) int {
			return len(v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT&orderLinkId="+link).rows(t))
		}
		s := v.trader()
		at(`"do":"reject","args":{"code":10016,"executed":true}`)
		if m := s.call("order.create", order("orderLinkId=doubt")); code(m) != 10016 || orders("doubt") != 1 {
			t.Errorf(`%v, %d orders, want code(m) == 10016 && orders("doubt") == 1`, m, orders("doubt"))
		}
		at(`"do":"maintenance"`)
		if m := s.call("order.create", order()); code(m) != 3100197 {
			t.Errorf("m = %v, want code(m) == 3100197", m)
		}
		at(`"do":"status","args":{"status":502}`)
		s.submit("order.create", order("orderLinkId=page"))
		if m := s.Next(); !strings.HasPrefix(fmt.Sprint(m[simtest.Text]), "<html>") || orders("page") != 0 {
			t.Errorf(`m = %v, want strings.HasPrefix(fmt.Sprint(m[simtest.Text]), "<html>") && orders("page") == 0`, m)
		}
		at(`"do":"delay","args":{"delayMs":200}`)
		slow, quick := s.submit("order.create", order("orderLinkId=slow")), s.submit("order.create", order("orderLinkId=quick"))
		if first, second := s.Next(), s.Next(); first["reqId"] != quick || second["reqId"] != slow || orders("slow") != 1 {
			t.Errorf(`%v before %v, want first["reqId"] == quick && second["reqId"] == slow && orders("slow") == 1`, first, second)
		}
		at(`"do":"timeout_after","args":{"delayMs":100}`)
		s.submit("order.create", order("orderLinkId=lost"))
		s.Closed()
		if orders("lost") != 1 {
			t.Error("the order of a lost answer is not there")
		}
		s = v.trader()
		at(`"do":"drop_connection"`)
		s.submit("order.create", order("orderLinkId=dropped"))
		s.Closed()
		if orders("dropped") != 0 {
			t.Error("the order of a dropped connection is there")
		}
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/trade","op":"auth"},"times":1,"do":"reject","args":{"code":10003}}`)
		refused := v.stream("/v5/trade")
		refused.Send(`{"op":"auth",` + v.authArgs() + `}`)
		if m := refused.Next(); code(m) != 10003 {
			t.Errorf("m = %v, want code(m) == 10003", m)
		}
	})
}

// A ban holds for the address, over REST and sockets.
func TestTradeSocketBan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.trader()
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/trade","op":"order.create"},"times":1,"do":"ban","args":{"delayMs":60000}}`)
		for range 2 {
			if m := s.call("order.create", order()); code(m) != 10403 {
				t.Errorf("m = %v, want code(m) == 10403", m)
			}
		}
		if r := v.get("/v5/market/time", ""); r.Status != http.StatusForbidden {
			t.Errorf("%d %s, want r.Status == http.StatusForbidden", r.Status, r.Body)
		}
	})
}

// The answer may arrive long after the private message.
func TestTradeSocketAckDelay(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, AckDelay: delay})
		private, s := v.private("order"), v.trader()
		began := time.Now()
		id := s.submit("order.create", market())
		private.data("order")
		if published := time.Since(began); published > 0 {
			t.Errorf("published after %s, want published <= 0", published)
		}
		if m := s.With("reqId", id); code(m) != 0 {
			t.Errorf("m = %v, want code(m) == 0", m)
		}
		if took := time.Since(began); took != delay {
			t.Errorf("acknowledged after %s, want took == delay", took)
		}
	})
}
