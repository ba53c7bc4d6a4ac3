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

// The private message may come long after the acknowledgement.
func TestPushDelay(t *testing.T) {
	t.Parallel()
	const delay = 200 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, PushDelay: delay})
		s := v.private("order")
		began := time.Now()
		v.placed(market())
		if acknowledged := time.Since(began); acknowledged > 0 {
			t.Errorf("acknowledged after %s", acknowledged)
		}
		s.data("order")
		if told := time.Since(began); told < delay || told > delay+simnet.PumpInterval {
			t.Errorf("told after %s", told)
		}
	})
}

// And it may come before the acknowledgement.
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
		if told := time.Since(began); told > 0 {
			t.Errorf("told after %s", told)
		}
		if r := <-answered; r.result(t)["orderId"] != o["orderId"] {
			t.Errorf("%s", r.Body)
		}
		if took := time.Since(began); took != delay {
			t.Errorf("acknowledged after %s", took)
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
			t.Errorf("%d fills at once", n)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":3600001}`)
		if n := fills(); n != 1 {
			t.Errorf("%d fills later", n)
		}
	})
}

// Funding is an execution of its own kind.
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
			t.Errorf("%v", f)
		}
	})
}
