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

// What a transport has sent, or may have sent, does not go by REST too. What it has not
// sent does, once, for the costs of REST only.
func TestTransport(t *testing.T) {
	carried := &restclient.Answer{Status: http.StatusOK, Body: []byte("carried")}
	failure := venues.Errorf(venues.CodeExchangeUnavailable, "no connection")
	for name, c := range map[string]struct {
		err    error
		byREST int64
	}{
		"answered": {},
		"unknown":  {err: failure.Because(venues.ErrOutcomeUnknown)},
		"not sent": {err: failure.Because(venues.ErrNotSent), byREST: 1},
	} {
		t.Run(name, func(t *testing.T) {
			v := newRawVenue(t, answerOK)
			orders, address := restclient.NewBudget("orders", 1, time.Hour), restclient.NewBudget("address", 1, time.Hour)
			order := call(http.MethodPost, true)
			order.Costs, order.RESTCosts = []restclient.Cost{{Budget: orders, Units: 1}}, []restclient.Cost{{Budget: address, Units: 1}}
			order.Transport = func(context.Context) (*restclient.Answer, error) {
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
				t.Errorf("%d requests by REST, want only what was not sent", v.requests.Load())
			case c.byREST == 1 && (err != nil || string(answer.Body) != "{}"):
				t.Errorf("answer %v, error %v, want those of REST", answer, err)
			case c.byREST == 0 && (!errors.Is(err, c.err) || (err == nil) != (answer == carried)):
				t.Errorf("answer %v, error %v, want those of the transport", answer, err)
			}
			if room := has(t, gate, orders); room {
				t.Error("the order's cost was not taken")
			}
			if room := has(t, gate, address); room == (c.byREST == 1) {
				t.Errorf("REST budget unused: %v, want %v", room, c.byREST == 0)
			}
		})
	}
}

// A transport is not called before the gate has admitted the request.
func TestTransportWaitsAtTheGate(t *testing.T) {
	gate := restclient.NewGate()
	gate.Freeze(time.Minute)
	order := call(http.MethodPost, true)
	order.Transport = func(context.Context) (*restclient.Answer, error) {
		t.Error("sent during the freeze")
		return nil, venues.ErrOutcomeUnknown
	}
	_, err := restclient.New(restclient.Options{BaseURL: "http://127.0.0.1:1"}, gate).Do(t.Context(), order)
	if !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("error %v, want rate_limited, not sent", err)
	}
}

// has reports whether a budget of one unit is unused.
func has(t *testing.T, gate *restclient.Gate, b *restclient.Budget) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return gate.Wait(ctx, restclient.PriorityOrder, restclient.Cost{Budget: b, Units: 1}) == nil
}
