package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"venuegate/venues"
)

// TestSignalsSurviveAKill checks that a signal that was acknowledged before the kill
// is executed once, and one that was not acknowledged at most once.
func TestSignalsSurviveAKill(t *testing.T) {
	simFile, described := startSimProcess(t)
	dir := t.TempDir()
	s := startService(t, dir, "--sim", simFile)
	h := s.demo.Hook
	control := described[venues.Binance].ControlURL
	// The venue delays orders, so that the kill happens between the acceptance of
	// signals and their orders.
	post(t, control+"/faults", `{"match":{"path":"/fapi/v1/order","op":"POST"},"do":"delay","args":{"delayMs":400},"times":4}`)
	const signals = 12
	var mu sync.Mutex
	accepted := map[int]bool{}
	var wait sync.WaitGroup
	for i := range signals {
		wait.Go(func() {
			request := killedRequest(t, h, i)
			client := http.Client{Timeout: waitMax}
			response, err := client.Do(request)
			if err != nil {
				return // the kill came first
			}
			response.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			if response.StatusCode == http.StatusAccepted {
				accepted[i] = true
			}
		})
	}
	eventually(t, "the first signals to be durable", func() bool {
		return len(s.timeline("channel="+h.ID+"&kind=signal.received")) >= 3
	})
	s.kill()
	wait.Wait()

	next := startService(t, dir, "--sim", simFile)
	if next.demo.Hook != (DemoHook{h.ID, next.demo.Hook.URL, h.Secret}) || next.demo.Chart.ChannelToken != s.demo.Chart.ChannelToken || next.demo.Receiver.ID != s.demo.Receiver.ID {
		t.Errorf("channels of the second start = %+v, want those of the first", next.demo)
	}
	var received, answered int
	eventually(t, "every signal to be final", func() bool {
		received = len(next.timeline("channel=" + h.ID + "&kind=signal.received"))
		answered = len(next.timeline("channel=" + h.ID + "&kind=signal.answer&result=done"))
		return received == answered
	})
	// The order that was being sent at the kill is unknown, and is never sent again,
	// whether it reached the venue or not.
	filled := 0
	eventually(t, "the orders to be filled", func() bool {
		filled = next.filledBy(h.ID)
		return filled >= received-1
	})
	orders := 0
	for _, o := range next.ledger(control) {
		if o.text("symbol") == "BTCUSDT" && o.text("status") == "filled" {
			orders++
		}
	}
	if orders < filled || orders > received {
		t.Errorf("orders at the venue = %d, want %d to %d: the filled ones to the received signals", orders, filled, received)
	}
	unknown := received - filled
	for i := range accepted {
		status, again := next.send(newSignal(next.demo.Hook, killedBody(i)))
		if again.text("status") != "filled" {
			unknown--
		}
		if status != http.StatusOK || unknown < 0 {
			t.Errorf("signal %d, acknowledged before the kill: response = %d %v, want 200", i, status, again)
		}
	}
}

// filledBy returns the number of filled orders of a channel.
func (s *service) filledBy(hook string) (n int) {
	s.t.Helper()
	for _, o := range s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all&limit=500", "").items() {
		if o.text("channelId") == hook && o.text("status") == "filled" {
			n++
		}
	}
	return n
}

func killedBody(i int) string {
	return orderSignal("binance", "BTCUSDT", "buy", "0.01", fmt.Sprintf(`,"requestId":"kill-%d"`, i))
}

func killedRequest(t *testing.T, h DemoHook, i int) *http.Request {
	t.Helper()
	in := newSignal(h, killedBody(i))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url, strings.NewReader(in.body))
	if err != nil {
		t.Fatal(err)
	}
	in.sign(request.Header)
	return request
}

// TestDeliveriesSurviveARestart checks that the next process repeats the deliveries of
// an endpoint that is down, with the same event id and a new signature.
func TestDeliveriesSurviveARestart(t *testing.T) {
	t.Setenv("VENUEGATE_DELIVERY_DELAYS", "300ms,1s")
	simFile, _ := startSimProcess(t)
	dir := t.TempDir()
	s := startService(t, dir, "--sim", simFile)
	down, dead := startFlaky(t, http.StatusServiceUnavailable), startFlaky(t, http.StatusInternalServerError)
	made := s.administer(http.StatusCreated, http.MethodPost, "endpoints", fmt.Sprintf(`{"customer":%q,"url":%q,"types":["order.filled"]}`, s.customer(), down.url))
	lost := s.administer(http.StatusCreated, http.MethodPost, "endpoints", fmt.Sprintf(`{"customer":%q,"url":%q,"types":["order.filled"],"hookId":%q}`, s.customer(), dead.url, s.demo.Hook.ID))
	id := s.fire(http.StatusAccepted, s.demo.Hook, orderSignal("binance", "BTCUSDT", "buy", "0.01", "")).text("orderId")
	s.event("order.filled", "orderId", id) // the one that is down delays no other
	eventually(t, "two attempts", func() bool { return len(down.came()) >= 2 })
	s.kill()
	down.answer(http.StatusNoContent)

	next := startService(t, dir, "--sim", simFile)
	deliveries := "endpoints/" + made.text("id") + "/deliveries"
	eventually(t, "the delivery", func() bool {
		items := next.administer(http.StatusOK, http.MethodGet, deliveries, "").items()
		return len(items) == 1 && items[0].text("status") == "delivered"
	})
	posts := down.came()
	last := posts[len(posts)-1]
	for _, p := range posts {
		if err := p.verify(made.text("secret")); err != nil || p.event != last.event || p.body != last.body {
			t.Errorf("attempt %s: %+v, error %v, want event %s with a valid signature", p.attempt, p, err, last.event)
		}
	}
	if !strings.Contains(last.body, id) {
		t.Errorf("delivered event = %s, want order %s in it", last.body, id)
	}

	// The other endpoint always fails: five attempts, then a manual resend.
	undelivered := "endpoints/" + lost.text("id") + "/deliveries?status=undelivered"
	eventually(t, "five attempts to fail", func() bool {
		return len(next.administer(http.StatusOK, http.MethodGet, undelivered, "").items()) == 1
	})
	attempts := len(dead.came())
	if attempts < 5 || attempts > 6 { // the kill may have repeated one
		t.Errorf("attempts = %d, want 5 or 6", attempts)
	}
	dead.answer(http.StatusOK)
	if resent := next.administer(http.StatusOK, http.MethodPost, "endpoints/"+lost.text("id")+"/resend", `{"all":true}`); resent["resent"] != 1.0 {
		t.Errorf("resent = %v, want 1", resent)
	}
	eventually(t, "the resent event", func() bool { return len(dead.came()) == attempts+1 })
	if p := dead.came()[attempts]; p.verify(next.demo.Hook.Secret) != nil || p.event != last.event {
		t.Errorf("resent event = %+v, error %v, want event %s with a valid signature", p, p.verify(next.demo.Hook.Secret), last.event)
	}
	eventually(t, "the row of its delivery", func() bool {
		rows := next.timeline("subject=" + last.event + "&channel=" + lost.text("id"))
		return len(rows) >= 8 && strings.HasPrefix(rows[len(rows)-1], "delivery.delivered")
	})
}
