package restclient_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// What a carrier has sent, or may have, does not go by REST too. What it proves not
// sent does, once, for the costs of REST alone.
func TestCarrier(t *testing.T) {
	carried := &restclient.Answer{Status: http.StatusOK, Body: []byte("carried")}
	refusal := venues.Errorf(venues.CodeExchangeUnavailable, "the line is down")
	for name, c := range map[string]struct {
		err    error
		byREST int64
	}{
		"answered": {},
		"unknown":  {err: refusal.Because(venues.ErrOutcomeUnknown)},
		"not sent": {err: refusal.Because(venues.ErrNotSent), byREST: 1},
	} {
		t.Run(name, func(t *testing.T) {
			v := newRawVenue(t, answerOK)
			orders, address := restclient.NewBudget("orders", 1, time.Hour), restclient.NewBudget("address", 1, time.Hour)
			order := call(http.MethodPost, true)
			order.Costs, order.RESTCosts = []restclient.Cost{{Budget: orders, Units: 1}}, []restclient.Cost{{Budget: address, Units: 1}}
			order.Carrier = func(context.Context) (*restclient.Answer, error) {
				if c.err != nil {
					return nil, c.err
				}
				return carried, nil
			}
			gate := restclient.NewGate()
			rest := restclient.New(restclient.Options{BaseURL: v.url}, gate)
			answer, err := rest.Do(t.Context(), order)
			switch {
			case v.requests.Load() != c.byREST:
				t.Errorf("%d requests by REST", v.requests.Load())
			case c.byREST == 1 && (err != nil || string(answer.Body) != "{}"):
				t.Errorf("%v, %v; want the answer by REST", answer, err)
			case c.byREST == 0 && (!errors.Is(err, c.err) || (err == nil) != (answer == carried)):
				t.Errorf("%v, %v; want what the carrier said", answer, err)
			}
			if room := has(t, gate, orders); room {
				t.Error("the order was not paid for")
			}
			if room := has(t, gate, address); room == (c.byREST == 1) {
				t.Errorf("room for a request by REST: %v", room)
			}
		})
	}
}

// A carrier is not asked before the gate is.
func TestCarrierWaitsAtTheGate(t *testing.T) {
	gate := restclient.NewGate()
	gate.Freeze(time.Minute)
	order := call(http.MethodPost, true)
	order.Carrier = func(context.Context) (*restclient.Answer, error) {
		t.Error("sent during the freeze")
		return nil, venues.ErrOutcomeUnknown
	}
	_, err := restclient.New(restclient.Options{BaseURL: "http://127.0.0.1:1"}, gate).Do(t.Context(), order)
	if !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("error %v, want rate_limited, not sent", err)
	}
}

// has says whether a budget of one unit has it still.
func has(t *testing.T, gate *restclient.Gate, b *restclient.Budget) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return gate.Wait(ctx, restclient.LaneOrder, restclient.Cost{Budget: b, Units: 1}) == nil
}
