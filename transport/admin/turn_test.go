package admin_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/venues"
)

// watched is an examiner that tells when it is asked.
type watched struct {
	admin.Examiner
	look func()
}

func (w watched) Examine(ctx context.Context, exchange venues.Venue, c venues.Credentials) []admin.Finding {
	w.look()
	return w.Examiner.Examine(ctx, exchange, c)
}

// TestWhatHangsElsewhereHoldsUpNoHalt: a venue that does not answer, or a messenger,
// costs the call that asks it and no other.
func TestWhatHangsElsewhereHoldsUpNoHalt(t *testing.T) {
	var hangs atomic.Bool
	asked, release := make(chan struct{}), make(chan struct{})
	look := func() {
		if hangs.Load() {
			asked <- struct{}{}
			<-release
		}
	}
	h := open(t, func(o *admin.Options) {
		o.Examiner = watched{o.Examiner, look}
		chat := o.Targets[persistence.EndpointTelegram]
		o.Targets[persistence.EndpointTelegram] = admin.Target{Form: chat.Form, Reach: func(ctx context.Context, e persistence.Endpoint) error {
			look()
			return chat.Reach(ctx, e)
		}}
	})
	customer := h.customer("desk")
	id := h.account(customer)
	bot := fmt.Sprintf(`{"customer":%q,"kind":"telegram","target":"-100","secret":"bot"}`, customer)
	endpoint := "/admin/v1/endpoints/" + h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", bot).id()
	hangs.Store(true)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/admin/v1/endpoints", bot, http.StatusCreated},
		{"PATCH", endpoint, `{"target":"-200"}`, http.StatusOK},
		{"POST", endpoint + "/rotate", `{"secret":"other"}`, http.StatusOK},
		{"POST", "/admin/v1/accounts", fmt.Sprintf(`{"customer":%q,"exchange":"binance",%s}`, customer, testCredentials), http.StatusCreated},
		{"PATCH", "/admin/v1/accounts/" + id, "{" + testCredentials + "}", http.StatusOK},
	} {
		request, answered := h.request(c.method, c.path, c.body), make(chan int, 1)
		go func() {
			response, err := h.client.Do(request)
			if err != nil {
				answered <- 0
				return
			}
			response.Body.Close()
			answered <- response.StatusCode
		}()
		<-asked
		h.call(http.StatusOK, "POST", "/admin/v1/accounts/"+id+"/halt", `{}`)
		release <- struct{}{}
		if status := <-answered; status != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, status, c.status)
		}
	}
}
