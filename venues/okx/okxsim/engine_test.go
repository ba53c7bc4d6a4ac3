package okxsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const engineDelay = time.Second

// slow starts a venue with an engine delay of a second of a clock that the test
// moves, and subscribes to the orders of its account.
func slow(t *testing.T) (*venue, *stream, *simtest.Clock) {
	t.Helper()
	clock := simtest.NewClock()
	v := start(t, okxsim.Options{
		Setup: simnet.Setup{Quiet: true, Seed: 1, Now: clock.Now}, RateLimits: okxsim.RateLimits{Off: true}, EngineDelay: engineDelay,
	})
	s := v.loggedIn("private")
	s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
	v.order(restingBuy)
	s.push("orders", state("live"))
	return v, s, clock
}

func (v *venue) resting() object {
	v.Helper()
	return v.one(v.get("/trade/order?instId=" + btc + "&clOrdId=a1"))
}

func (v *venue) acknowledged(path, body string) {
	v.Helper()
	v.post(path, body).expectItem(v, "0")
}

const (
	cancelResting = `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`
	amendResting  = `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","reqId":"r1","newPx":"63900"`
)

// An acknowledged change is applied and published after the engine delay.
func TestAcknowledgedBeforeItIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		v.acknowledged("/trade/amend-order", amendResting+`}`)
		simtest.Expect(t, v.resting(), object{"px": "64000"})
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", state("live")), object{"px": "63900", "reqId": "r1", "amendResult": "0", "amendSource": "1", "code": "0"})
		v.acknowledged("/trade/cancel-order", cancelResting)
		simtest.Expect(t, v.resting(), object{"state": "live"})
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", state("canceled")), object{"clOrdId": "a1", "cancelSource": "1", "amendResult": ""})
		v.post("/trade/cancel-order", cancelResting).expectItem(t, "51400")
	})
}

// An order that fills before an acknowledged change stays filled.
func TestFillPrecedesTheChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		v.acknowledged("/trade/cancel-order", cancelResting)
		v.acknowledged("/trade/amend-order", amendResting+`}`)
		v.Market(`{"symbol":"BTCUSDT","price":"63800"}`)
		s.push("orders", state("filled"))
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", state("filled")), object{"reqId": "r1", "amendResult": "-1", "code": "51503", "fillSz": "0"})
		simtest.Expect(t, v.resting(), object{"state": "filled", "cancelSource": ""})
	})
}

// A change that fails after its acknowledgement is published with the reason, and the
// order is cancelled where the client requests that.
func TestAmendmentFailsAfterItsAcknowledgement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		v.acknowledged("/trade/amend-order", amendResting+`,"newSz":"5000"}`)
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", state("live")), object{"px": "64000", "sz": "0.05", "reqId": "r1", "amendResult": "-1", "code": "51502"})
		v.acknowledged("/trade/amend-order", amendResting+`,"newSz":"5000","cxlOnFail":true}`)
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", state("canceled")), object{"reqId": "r1", "amendResult": "1"})
		clock.Advance(engineDelay)
		v.acknowledged("/trade/order", restingBuy)
		simtest.Expect(t, s.push("orders", func(object, object) bool { return true }), object{"state": "live", "amendResult": ""})
	})
}
