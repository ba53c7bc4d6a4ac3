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
			t.Errorf("acknowledged after %s, want no delay", acknowledged)
		}
		s.data("order")
		if published := time.Since(began); published < delay || published > delay+simnet.PumpInterval {
			t.Errorf("published after %s, want %s to %s", published, delay, delay+simnet.PumpInterval)
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
			t.Errorf("published after %s, want no delay", published)
		}
		simtest.Expect(t, (<-answered).result(t), simtest.Object{"orderId": o["orderId"]})
		simtest.Equal(t, "time until the acknowledgement", time.Since(began), delay)
	})
}

func TestReadLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, ReadLag: time.Hour})
		id := v.placed(market())
		fills := func() int { return len(v.get("/v5/execution/list", "category=linear&orderId="+id).rows(t)) }
		simtest.Equal(t, "fills of an immediate query", fills(), 0)
		v.Script(http.MethodPost, "/clock", `{"offsetMs":3600001}`)
		simtest.Equal(t, "fills of a later query", fills(), 1)
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
			t.Errorf("execution = %v, want a fee for 0.01 bought, of type UNKNOWN", f)
		}
	})
}
