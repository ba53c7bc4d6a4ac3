package bybitsim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// The private message may arrive long after the acknowledgement.
func TestPushDelay(t *testing.T) {
	t.Parallel()
	const delay = 200 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, PushDelay: delay})
		s := v.private("order")
		began := time.Now()
		v.placed(market())
		if acknowledged := time.Since(began); acknowledged > 0 {
			t.Errorf("acknowledged after %s, want acknowledged <= 0", acknowledged)
		}
		s.data("order")
		if published := time.Since(began); published < delay || published > delay+simnet.PumpInterval {
			t.Errorf("published after %s, want published >= delay && published <= delay + simnet.PumpInterval", published)
		}
	})
}

// The private message may arrive before the acknowledgement.
func TestAckDelay(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, AckDelay: delay})
		s := v.private("order")
		answered := make(chan reply, 1)
		began := time.Now()
		go func() { answered <- v.post("/v5/order/create", market()) }()
		o := s.data("order")
		if published := time.Since(began); published > 0 {
			t.Errorf("published after %s, want published <= 0", published)
		}
		if r := <-answered; r.result(t)["orderId"] != o["orderId"] {
			t.Errorf(`r.Body = %s, want r.result(t)["orderId"] == o["orderId"]`, r.Body)
		}
		if took := time.Since(began); took != delay {
			t.Errorf("acknowledged after %s, want took == delay", took)
		}
	})
}

func TestReadLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, ReadLag: time.Hour})
		id := v.placed(market())
		fills := func() int { return len(v.get("/v5/execution/list", "category=linear&orderId="+id).rows(t)) }
		if n := fills(); n != 0 {
			t.Errorf("%d fills at once, want n == 0", n)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":3600001}`)
		if n := fills(); n != 1 {
			t.Errorf("%d fills later, want n == 1", n)
		}
	})
}

// Funding is an execution with its own type.
func TestFunding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market())
		v.Script(http.MethodPost, "/clock", `{"offsetMs":28800000}`)
		funding := func() []map[string]any {
			return v.get("/v5/execution/list", "category=linear&execType=Funding").rows(t)
		}
		v.WaitFor("funding", func() bool { return len(funding()) == 1 })
		if f := funding()[0]; !simtest.Num(f["execFee"]).IsPositive() || f["execQty"] != "0.01" || f["orderType"] != "UNKNOWN" || f["side"] != "Buy" {
			t.Errorf(`f = %v, want simtest.Num(f["execFee"]).IsPositive() && f["execQty"] == "0.01" && f["orderType"] == "UNKNOWN" && f["side"] == "Buy"`, f)
		}
	})
}
