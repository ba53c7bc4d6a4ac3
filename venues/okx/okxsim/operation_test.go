package okxsim_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// operation is a message of a client that trades over the socket; arg is its
// only argument without the braces.
func operation(id, op, arg string) string {
	return `{"id":"` + id + `","op":"` + op + `","args":[{` + arg + `}]}`
}

// buys returns a resting order with a client id.
func buys(clientID string) string {
	return `"instIdCode":10459,"tdMode":"cross","clOrdId":"` + clientID + `","side":"buy","ordType":"limit","px":"64000","sz":"0.05"`
}

// item returns the first item of an answer.
func item(t testing.TB, answer object) object {
	t.Helper()
	rows, _ := answer["data"].([]any)
	if len(rows) == 0 {
		t.Fatalf("answer = %v, want an item", answer)
	}
	return rows[0].(object)
}

// submit sends an operation and returns its answer.
func (s *stream) submit(id, op, arg string) object {
	s.Helper()
	s.Send(operation(id, op, arg))
	m := s.Next()
	if m["id"] != id || m["op"] != op {
		s.Fatalf("answer to %s %s = %v, want the same op and id", op, id, m)
	}
	return m
}

func TestOrderOverTheSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		placed := s.submit("a1", "order", buys("w1"))
		simtest.Expect(t, placed, object{"code": "0", "msg": ""})
		now := strconv.FormatInt(v.Now().UnixMicro(), 10)
		simtest.Expect(t, placed, object{"inTime": now, "outTime": now})
		first := item(t, placed)
		simtest.Expect(t, first, object{"sCode": "0", "sMsg": "Order successfully placed.", "clOrdId": "w1", "subCode": ""})
		id := first["ordId"].(string)

		duplicate := s.submit("a2", "order", buys("w1"))
		simtest.Expect(t, duplicate, object{"code": "1", "msg": ""})
		simtest.Expect(t, item(t, duplicate), object{"sCode": "51016", "clOrdId": "w1"})

		amended := s.submit("a3", "amend-order", `"instIdCode":10459,"clOrdId":"w1","newPx":"63900","newSz":"0.08","reqId":"r1"`)
		simtest.Expect(t, item(t, amended), object{"sCode": "0", "reqId": "r1", "ordId": id})
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"px": "63900", "sz": "0.08", "state": "live"})

		simtest.Expect(t, item(t, s.submit("a4", "cancel-order", `"instIdCode":10459,"ordId":"`+id+`"`)), object{"sCode": "0"})
		simtest.Expect(t, item(t, s.submit("a5", "cancel-order", `"instIdCode":10459,"ordId":"`+id+`"`)), object{"sCode": "51400"})
	})
}

func TestBatchesOverTheSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		s.Send(`{"id":"1","op":"batch-orders","args":[{` + buys("w1") + `},{` + buys("w1") + `}]}`)
		simtest.Expect(t, s.Next(), object{"id": "1", "op": "batch-orders", "code": "2", "msg": ""})
		simtest.Expect(t, s.submit("2", "batch-amend-orders", `"instIdCode":10459,"clOrdId":"w1","newSz":"0.06"`), object{"code": "0"})
		s.Send(`{"id":"3","op":"batch-cancel-orders","args":[{"instIdCode":10459,"clOrdId":"w1"},{"instIdCode":10459,"clOrdId":"no"}]}`)
		simtest.Expect(t, s.Next(), object{"id": "3", "code": "2"})
	})
}

func TestAttachedProtectionOverTheSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		s.submit("1", "order", `"instIdCode":10459,"tdMode":"cross","clOrdId":"w1","side":"buy","ordType":"market","sz":"1",`+
			`"attachAlgoOrds":[{"attachAlgoClOrdId":"w1p","slTriggerPx":"60000","slOrdPx":"-1"}]`)
		simtest.Expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=conditional")), object{"algoClOrdId": "w1p", "slTriggerPx": "60000"})
	})
}

func TestMalformedOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		unauthenticated := v.stream("private")
		unauthenticated.Send(operation("1", "order", buys("w1")))
		simtest.Expect(t, unauthenticated.Next(), object{"event": "error", "code": "60011", "id": "1"})
		public := v.stream("public")
		public.Send(operation("1", "order", buys("w1")))
		simtest.Expect(t, public.Next(), object{"event": "error", "code": "60028"})

		s := v.loggedIn("private")
		for text, code := range map[string]string{
			operation("", "order", buys("w1")):          "60033",
			operation("a-1", "order", buys("w1")):       "60033",
			`{"id":"1","op":"order"}`:                   "60013",
			`{"id":"1","op":"order","args":[]}`:         "60013",
			`{"id":"1","op":"order","args":{}}`:         "60013",
			`{"id":"1","op":"order","args":[7]}`:        "60013",
			`{"id":"1","op":"order","args":[{},{}]}`:    "60013",
			`{"id":"1","op":"batch-orders","args":[]}`:  "60013",
			operation("1", "close-position", ""):        "60019",
			operation("1", "order-algo", buys("w1")):    "60019",
			`{"id":"1","op":"order","args":"nonsense"}`: "60013",
		} {
			s.Send(text)
			if m := s.Next(); m["code"] != code {
				t.Errorf("%s: %v, want %s", text, m, code)
			}
		}
		for op, arg := range map[string]string{
			"order":        `"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"`,
			"amend-order":  `"instId":"BTC-USDT-SWAP","clOrdId":"w1","newPx":"63900"`,
			"cancel-order": `"instId":"BTC-USDT-SWAP","clOrdId":"w1"`,
		} {
			simtest.Expect(t, item(t, s.submit("1", op, arg)), object{"sCode": "50014", "sMsg": "Parameter instIdCode can not be empty."})
		}
		simtest.Expect(t, item(t, s.submit("1", "cancel-order", `"instIdCode":1,"clOrdId":"w1"`)), object{"sCode": "51001"})
		v.control("/accounts/demo", `{"permissions":{"read":true,"trade":false}}`)
		simtest.Expect(t, s.submit("1", "order", buys("w1")), object{"code": "50120"})
		simtest.ExpectRows(t, v.get("/trade/orders-pending").Data)
	})
}

func TestDeadlineOnTheSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		due := func(op, arg, deadline string) object {
			s.Send(`{"id":"1","op":"` + op + `","args":[{` + arg + `}],"expTime":"` + deadline + `"}`)
			return s.Next()
		}
		simtest.Expect(t, due("order", buys("w1"), unixMilli(v.Now().Add(-time.Millisecond))), object{"code": "50036"})
		v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:order"},"do":"delay","args":{"delayMs":300},"times":1}`)
		simtest.Expect(t, item(t, due("order", buys("w1"), unixMilli(v.Now().Add(150*time.Millisecond)))), object{"sCode": "50037"})
		simtest.Expect(t, due("cancel-order", `"instIdCode":10459,"clOrdId":"w1"`, unixMilli(v.Now().Add(-time.Millisecond))), object{"code": "1"})
	})
}

// REST and the socket share the limit of an instrument.
func TestLimitsAreSharedWithREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Now: func() time.Time { return begin }}})
		s := v.loggedIn("private")
		const cancel = `{"instId":"BTC-USDT-SWAP","clOrdId":"no"}`
		for range 30 {
			v.post("/trade/cancel-order", cancel).expectItem(t, "51400")
			simtest.Expect(t, item(t, s.submit("1", "cancel-order", `"instIdCode":10459,"clOrdId":"no"`)), object{"sCode": "51400"})
		}
		simtest.Expect(t, s.submit("1", "cancel-order", `"instIdCode":10459,"clOrdId":"no"`), object{"code": "50011"})
		simtest.Expect(t, s.submit("1", "batch-cancel-orders", `"instIdCode":10459,"clOrdId":"no"`), object{"code": "50011"})
		v.post("/trade/cancel-order", cancel).expectCode(t, "50011")
		simtest.Expect(t, s.submit("1", "cancel-order", `"instIdCode":10461,"clOrdId":"no"`), object{"code": "1"})
		simtest.Expect(t, s.submit("1", "order", buys("w1")), object{"code": "0"})
	})
}

func TestLargeBatchesAreLimitedByTheirOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Now: func() time.Time { return begin }}})
		body := `[{"instId":"BTC-USDT-SWAP","clOrdId":"no"}`
		for range 19 {
			body += `,{"instId":"BTC-USDT-SWAP","clOrdId":"no"}`
		}
		body += "]"
		for range 300 / 20 {
			v.post("/trade/cancel-batch-orders", body).expectCode(t, "1")
		}
		v.post("/trade/cancel-batch-orders", body).expectCode(t, "50011")
	})
}

func TestInjectedFaultsOfOperations(t *testing.T) {
	for _, c := range []struct {
		name, do string
		// code of the answer, empty where there is none. cut reports whether the
		// connection ends.
		code      string
		cut, held bool
	}{
		{name: "unanswered", do: `"timeout_before","args":{"delayMs":100}`, cut: true},
		{name: "executed and unanswered", do: `"timeout_after","args":{"delayMs":100}`, cut: true, held: true},
		{name: "cut", do: `"drop_connection"`, cut: true},
		{name: "executed and cut", do: `"drop_connection","args":{"executed":true}`, cut: true, held: true},
		{name: "late", do: `"delay","args":{"delayMs":100}`, code: "0", held: true},
		{name: "lost", do: `"status","args":{"status":502}`, code: "64007"},
		{name: "executed and lost", do: `"status","args":{"status":502,"executed":true}`, code: "64007", held: true},
		{name: "rejected", do: `"reject","args":{"code":"51008"}`, code: "1"},
		{name: "uncertain", do: `"reject","args":{"code":"50004","executed":true}`, code: "50004", held: true},
		{name: "closed", do: `"maintenance"`, code: "50001"},
		{name: "banned", do: `"ban"`, code: "50011"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := quiet(t)
				s := v.loggedIn("private")
				v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:order"},"times":1,"do":`+c.do+`}`)
				s.Send(operation("1", "order", buys("w1")))
				m, open := <-s.Messages
				if open == c.cut {
					t.Errorf("answer = %v, connection open %t, want open %t", m, open, !c.cut)
				}
				if !c.cut {
					simtest.Expect(t, m, object{"id": "1", "code": c.code})
				}
				simtest.Equal(t, "orders in the ledger", len(v.sim.Control().Ledger().Orders), map[bool]int{true: 1}[c.held])
			})
		})
	}
}

func TestBanHoldsForRESTAndSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
		s := v.loggedIn("private")
		v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:order"},"do":"ban","args":{"delayMs":60000},"times":1}`)
		for range 2 {
			simtest.Expect(t, s.submit("1", "order", buys("w1")), object{"code": "50011"})
		}
		v.post("/trade/order", restingBuy).expectCode(t, "50011")
	})
}

// An operation that a fault delays does not delay the next one.
func TestDelayedOperationDoesNotDelayTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:order"},"do":"delay","args":{"delayMs":300},"times":1}`)
		s.Send(operation("1", "order", buys("w1")))
		s.Send(operation("2", "order", buys("w2")))
		simtest.Expect(t, s.Next(), object{"id": "2"})
		simtest.Expect(t, s.Next(), object{"id": "1", "code": "0"})
	})
}

// Faults of messages match answers apart from the pushes of the channel orders.
func TestInjectedFaultsOfAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:order"},"do":"gap","times":1}`)
		v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:"},"do":"duplicate","times":1}`)
		s.Send(operation("1", "order", buys("w1")))
		s.push("orders", state("live"))
		s.Send(operation("2", "amend-order", `"instIdCode":10459,"clOrdId":"w1","newSz":"0.06"`))
		answers := 0
		for answers < 2 {
			m := s.Next()
			if m["op"] == nil {
				continue
			}
			simtest.Expect(t, m, object{"id": "2", "op": "amend-order"})
			answers++
		}
	})
}

func TestInjectedFaultsOfLogins(t *testing.T) {
	for do, code := range map[string]string{
		`"reject"`:                           "60009",
		`"reject","args":{"code":"60005"}`:   "60005",
		`"maintenance"`:                      "64007",
		`"delay","args":{"delayMs":50}`:      "0",
		`"drop_connection"`:                  "",
		`"timeout_before"`:                   "none",
		`"status","args":{"executed":false}`: "64007",
	} {
		t.Run(do, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := quiet(t)
				v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"op:login"},"times":1,"do":`+do+`}`)
				s := v.stream("private")
				s.Send(v.loginText(v.Credentials.APISecret))
				if code == "none" {
					s.Send("ping")
					simtest.Expect(t, s.Next(), object{simtest.Text: "pong"})
					return
				}
				if m, open := <-s.Messages; open != (code != "") || open && m["code"] != code {
					t.Fatalf("message %v, connection open %t, want code %q and open %t", m, open, code, code != "")
				}
				if code != "" && code != "0" {
					if m, open := <-s.Messages; open {
						t.Errorf("message = %v, want the connection closed", m)
					}
				}
			})
		})
	}
}

// An operation is rejected or has one order, or for a batch at least one.
func FuzzOperation(f *testing.F) {
	sim := silent(f)
	f.Add([]byte(operation("1", "order", buys("w1"))))
	f.Add([]byte(`{"id":"2","op":"batch-orders","args":[{"instIdCode":10459},null],"expTime":"9"}`))
	f.Add([]byte(`{"id":"3","op":"cancel-order","args":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		body, batch, ok := sim.AdmittedOperation(data)
		if !ok {
			return
		}
		var one map[string]json.RawMessage
		var many []map[string]json.RawMessage
		if batch && (json.Unmarshal(body, &many) != nil || len(many) == 0) || !batch && json.Unmarshal(body, &one) != nil {
			t.Errorf("%s has the call %s, want one object, or a list for a batch", data, body)
		}
	})
}
