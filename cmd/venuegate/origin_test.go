package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The id and the trace that a client gives a request are in the response, in the journal
// of what the request causes, and in the log.
func TestOriginOfARequestIsCarried(t *testing.T) {
	s := sharedService(t)
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	send := func(method, path, body, id string) (http.Header, record) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.demo.BaseURL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.demo.APIKey)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Request-Id", id)
		request.Header.Set("traceparent", trace)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var answer record
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return response.Header, answer
	}
	header, order := send(http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`, "desk-1")
	if got := header.Get("X-Request-Id"); got != "desk-1" {
		t.Errorf("X-Request-Id = %q, want that of the request", got)
	}
	header, refused := send(http.MethodPost, "/v1/orders", "{", strings.Repeat("x", 65))
	if got := header.Get("X-Request-Id"); !strings.HasPrefix(got, "req_") || refused.text("error", "requestId") != got {
		t.Errorf("X-Request-Id after one that is too long = %q, body %v, want one of the service", got, refused)
	}
	eventually(t, "the row with the origin", func() bool {
		rows := s.administer(http.StatusOK, http.MethodGet, "journal?kind=order.status&customer="+s.customer()+"&subject="+order.text("orderId"), "").items()
		return len(rows) > 0 && strings.Contains(fmt.Sprint(rows[0]["fields"]), "desk-1") && strings.Contains(fmt.Sprint(rows[0]["fields"]), trace)
	})
	s.administerAs("ops-1", `{"customer":"`+s.customer()+`","kind":"webhook","name":"origin"}`)
	rows := s.administer(http.StatusOK, http.MethodGet, "journal?kind=admin.hook&customer="+s.customer(), "").items()
	if len(rows) == 0 || !strings.Contains(fmt.Sprint(rows[0]["fields"]), "ops-1") {
		t.Errorf("rows of the administration = %v, want the id ops-1 in the newest", rows)
	}
}

// administerAs creates a hook by a call with a request id.
func (s *service) administerAs(id, body string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.demo.AdminURL+"/admin/v1/hooks", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.demo.AdminToken)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Request-Id", id)
	if status, text := do(s.t, request); status != http.StatusCreated {
		s.t.Fatalf("create a hook = %d %s, want 201", status, text)
	}
}
