package bybitsim_test

import (
	"net/http"
	"testing"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// The private message may come long after the acknowledgement.
func TestPushDelay(t *testing.T) {
	t.Parallel()
	v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, PushDelay: 200 * time.Millisecond})
	s := v.private("order")
	began := time.Now()
	v.placed(market())
	if acknowledged := time.Since(began); acknowledged > 150*time.Millisecond {
		t.Skipf("the machine is too slow: %s", acknowledged)
	}
	s.data("order")
	if told := time.Since(began); told < 200*time.Millisecond {
		t.Errorf("told after %s", told)
	}
}

// And it may come before the acknowledgement.
func TestAckDelay(t *testing.T) {
	t.Parallel()
	v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, AckDelay: 100 * time.Millisecond})
	s := v.private("order")
	answered := make(chan reply, 1)
	go func() { answered <- v.post("/v5/order/create", market()) }()
	o := s.data("order")
	select {
	case r := <-answered:
		t.Errorf("acknowledged before it was told: %s", r.Body)
	default:
	}
	if r := <-answered; r.result(t)["orderId"] != o["orderId"] {
		t.Errorf("%s", r.Body)
	}
}

func TestReadLag(t *testing.T) {
	t.Parallel()
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
}

// Funding is an execution of its own kind.
func TestFunding(t *testing.T) {
	t.Parallel()
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
}
