package bybitsim_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

// A request without an answer may have been executed or not.
func TestTimeoutsOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for do, want := range map[string]int{"timeout_before": 0, "timeout_after": 1} {
			v.InjectFault(`{"match":{"path":"/v5/order/create"},"times":1,"do":"` + do + `","args":{"delayMs":50}}`)
			response, err := v.HTTP.Do(v.request(http.MethodPost, "/v5/order/create", "", order("orderLinkId="+do), v.Now()))
			if err == nil {
				response.Body.Close()
				t.Errorf("%s: answered, want no answer", do)
			}
			simtest.Equal(t, do+": orders", len(v.get("/v5/order/realtime", "category=linear&orderLinkId="+do).rows(t)), want)
		}
	})
}

// The venue adds members and values without notice, in answers and in messages, and
// may send messages that are not JSON.
func TestUnknownMembersAndValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const novelty = `"old":"\"cancelType\":\"UNKNOWN\"","new":"\"cancelType\":\"CancelByTheMoon\",\"phase\":{\"n\":[1]}"`
		rewrite := func(path, op, args string) {
			v.InjectFault(`{"match":{"path":"` + path + `","op":"` + op + `"},"times":1,"do":"rewrite","args":{` + args + `}}`)
		}
		s := v.private("order")
		rewrite("/v5/private", "order", novelty)
		id := v.placed(order())
		simtest.Expect(t, s.data("order"), simtest.Object{"cancelType": "CancelByTheMoon", "phase": simtest.Any, "orderStatus": "New"})
		rewrite("/v5/order/realtime", "GET", novelty)
		simtest.Expect(t, v.found(id), simtest.Object{"cancelType": "CancelByTheMoon", "phase": simtest.Any})
		rewrite("/v5/private", "order", `"new":"<html><h1>502</h1></html>"`)
		v.placed(order())
		if m := s.Next(); !strings.HasPrefix(m[simtest.Text].(string), "<html>") {
			t.Errorf("message = %v, want an HTML page", m)
		}
		trader := v.trader()
		v.InjectFault(`{"match":{"path":"/v5/trade","op":"order.create"},"times":1,"do":"rewrite","args":{"new":"Failed"}}`)
		trader.submit("order.create", order("orderLinkId=unread"))
		trader.With(simtest.Text, "Failed")
		simtest.ExpectLen(t, v.get("/v5/order/realtime", "category=linear&orderLinkId=unread").rows(t), 1)
	})
}

// A lost book message leaves a gap in u.
func TestForcedGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.public("orderbook.50.BTCUSDT")
		u := func(kind string) string {
			return simtest.Num(s.With("type", kind)["data"].(map[string]any)["u"]).String()
		}
		first := simtest.Num(u("snapshot"))
		v.InjectFault(`{"match":{"path":"/v5/public/linear","op":"orderbook.50"},"times":1,"do":"gap"}`)
		v.placed(order("price=64990"))
		v.WaitFor("the loss", func() bool {
			return simtest.Num(v.Script(http.MethodGet, "/faults", "")["faults"].([]any)[0].(map[string]any)["struck"]).IsPositive()
		})
		v.placed(order("price=64991"))
		simtest.Equal(t, "u after the gap", u("delta"), first.Add(simtest.Num("2")).String())
	})
}

// The system status stream publishes the begin and the end of a maintenance, without
// a login.
func TestSystemStatusStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("/v5/public/misc/status")
		for _, test := range []struct{ sent, want string }{
			{`{"op":"ping","req_id":"1"}`, "pong"},
			{`{"op":"dance"}`, "error:invalid op"},
			{`{"op":"subscribe","args":["system.weather"]}`, "error:handler not found"},
			{`{"op":"subscribe","args":["system.status"]}`, ""},
		} {
			s.Send(test.sent)
			simtest.Equal(t, "answer to "+test.sent, s.Next()["ret_msg"], any(test.want))
		}
		v.InjectFault(`{"match":{"path":"/v5/order"},"do":"maintenance"}`)
		begun := s.data("system.status")
		if begun["state"] != "ongoing" || len(begun["serviceTypes"].([]any)) == 0 {
			t.Errorf("maintenance = %v, want state ongoing and its service types", begun)
		}
		v.Script(http.MethodDelete, "/faults", "")
		expect(t, s.data("system.status"), "state=completed", "id="+begun["id"].(string))
		s.Send(`{"op":"unsubscribe","args":["system.status"]}`)
		s.With("op", "unsubscribe")
		v.InjectFault(`{"match":{"path":"/v5/order"},"do":"maintenance"}`)
		s.Send(`{"op":"ping"}`)
		simtest.Expect(t, s.Next(), simtest.Object{"ret_msg": "pong"})
	})
}
