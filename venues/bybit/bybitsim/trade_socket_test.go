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
	simtest.Expect(v, s.Next(), simtest.Object{"retCode": 0, "op": "auth"})
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
			t.Errorf("answer = %v, want success of order.create with 9 of 10 requests left", created)
		}
		v.post("/v5/order/create", order("orderLinkId=rest")).ExpectHeader(t, "X-Bapi-Limit-Status", "8")
		id := created["data"].(map[string]any)["orderId"].(string)
		amended := s.call("order.amend", `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"ws","price":"60100"}`)
		if code(amended) != 0 || amended["data"].(map[string]any)["orderId"] != id {
			t.Errorf("answer = %v, want success for order %s", amended, id)
		}
		simtest.Expect(t, v.found(id), simtest.Object{"price": "60100", "orderStatus": "New"})
		cancel := `{"category":"linear","symbol":"BTCUSDT","orderId":"` + id + `"}`
		simtest.Expect(t, s.call("order.cancel", cancel), simtest.Object{"retCode": 0})
		if m := s.call("order.cancel", cancel); code(m) != 110001 || header(m, "Timenow") == nil || len(m["data"].(map[string]any)) != 0 {
			t.Errorf("answer = %v, want code 110001 with a time and empty data", m)
		}
		s.Send(`{"op":"ping"}`)
		simtest.Expect(t, s.Next(), simtest.Object{"op": "pong", "retCode": 0})
	})
}

func TestTradeSocketRejectsMalformedRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		unauthenticated := &trader{stream: v.stream("/v5/trade"), v: v}
		simtest.Expect(t, unauthenticated.call("order.create", order()), simtest.Object{"retCode": 10005, "header": nil, "data": nil})
		unauthenticated.Send(`{"op":"auth","args":["` + v.Credentials.APIKey + `",99999999999999,"00"]}`)
		simtest.Expect(t, unauthenticated.Next(), simtest.Object{"retCode": 10004})
		s := v.trader()
		for _, c := range []struct {
			name   string
			submit func() string
			want   int64
		}{
			{"unknown operation", func() string { return s.submit("order.close", order()) }, 10404},
			{"late", func() string { return s.askAs("late", "order.create", order(), v.Now().Add(-6*time.Second)) }, 10002},
			{"early", func() string { return s.askAs("early", "order.create", order(), v.Now().Add(1500*time.Millisecond)) }, 10002},
			{"two at once", func() string { return s.submit("order.create", order()+","+order()) }, 10001},
			{"a name twice", func() string { return s.askAs("late", "order.create", order(), v.Now()) }, 20006},
			{"a long name", func() string { return s.askAs(strings.Repeat("x", 37), "order.create", order(), v.Now()) }, 10001},
			{"too much", func() string { return s.submit("order.create", order("qty=1000")) }, 110007},
		} {
			simtest.Equal(t, c.name+": code", code(s.With("reqId", c.submit())), c.want)
		}
		simtest.ExpectRows(t, v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t))
	})
}

func TestTradeSocketLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, RateLimits: bybitsim.RateLimits{TradePerSecond: 2, EndpointSpan: time.Minute}})
		s := v.trader()
		for range 2 {
			simtest.Expect(t, s.call("order.create", order()), simtest.Object{"retCode": 0})
		}
		if m := s.call("order.create", order()); code(m) != 10006 || header(m, "X-Bapi-Limit-Status") != "0" {
			t.Errorf("answer = %v, want code 10006 and no requests left", m)
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
			t.Errorf("answer = %v with %d orders, want code 10016 and 1 order", m, orders("doubt"))
		}
		at(`"do":"maintenance"`)
		simtest.Expect(t, s.call("order.create", order()), simtest.Object{"retCode": 3100197})
		at(`"do":"status","args":{"status":502}`)
		s.submit("order.create", order("orderLinkId=page"))
		if m := s.Next(); !strings.HasPrefix(fmt.Sprint(m[simtest.Text]), "<html>") || orders("page") != 0 {
			t.Errorf("answer = %v with %d orders, want an HTML page and no order", m, orders("page"))
		}
		at(`"do":"delay","args":{"delayMs":200}`)
		slow, quick := s.submit("order.create", order("orderLinkId=slow")), s.submit("order.create", order("orderLinkId=quick"))
		if first, second := s.Next(), s.Next(); first["reqId"] != quick || second["reqId"] != slow || orders("slow") != 1 {
			t.Errorf("answers = %v, then %v, want %s, then %s with its order", first, second, quick, slow)
		}
		at(`"do":"timeout_after","args":{"delayMs":100}`)
		s.submit("order.create", order("orderLinkId=lost"))
		s.Closed()
		if orders("lost") != 1 {
			t.Errorf("%d orders after a lost answer, want 1", orders("lost"))
		}
		s = v.trader()
		at(`"do":"drop_connection"`)
		s.submit("order.create", order("orderLinkId=dropped"))
		s.Closed()
		if orders("dropped") != 0 {
			t.Errorf("%d orders after a dropped connection, want 0", orders("dropped"))
		}
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/trade","op":"auth"},"times":1,"do":"reject","args":{"code":10003}}`)
		rejected := v.stream("/v5/trade")
		rejected.Send(`{"op":"auth",` + v.authArgs() + `}`)
		simtest.Expect(t, rejected.Next(), simtest.Object{"retCode": 10003})
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
			simtest.Expect(t, s.call("order.create", order()), simtest.Object{"retCode": 10403})
		}
		v.get("/v5/market/time", "").ExpectStatus(t, http.StatusForbidden)
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
			t.Errorf("published after %s, want no delay", published)
		}
		simtest.Expect(t, s.With("reqId", id), simtest.Object{"retCode": 0})
		simtest.Equal(t, "time until the acknowledgement", time.Since(began), delay)
	})
}
