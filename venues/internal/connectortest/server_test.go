package connectortest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"venuegate/venues/internal/connectortest"
)

// post sends a request and returns status and body of the answer.
func post(t *testing.T, s *connectortest.Server, path, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.RESTURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: s.Dial}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestServerAnswersInTurnAndRepeatsTheLast(t *testing.T) {
	s := connectortest.NewServer(t)
	s.ClockName, s.Clock = "POST /time", func() string { return "noon" }
	checked := 0
	s.Check = func(*http.Request, string) { checked++ }
	s.On("POST /order", 500, "first")
	s.On("POST /order", 200, "then")
	for n, want := range []string{"first", "then", "then"} {
		if _, got := post(t, s, "/order?a=1", "b=2"); got != want {
			t.Errorf("answer %d = %s, want %s", n, got, want)
		}
	}
	if last := s.Last("POST /order"); last.Payload != "a=1b=2" || last.Query.Get("a") != "1" || last.Body != "b=2" || s.RequestCount() != 3 || checked != 3 {
		t.Errorf("last request %+v of %d, want a=1 with the body b=2 as the third", last, s.RequestCount())
	}
	if _, got := post(t, s, "/time", ""); got != "noon" {
		t.Errorf("time = %s, want noon", got)
	}
	s.Clear("POST /order")
	if status, _ := post(t, s, "/order", ""); status != http.StatusNotFound {
		t.Errorf("status %d for an unscripted request, want 404", status)
	}
	s.Replace("POST /order", 200, "again")
	if _, got := post(t, s, "/order", ""); got != "again" || len(s.Sent("POST /order")) != 5 {
		t.Errorf("answer %s after %d requests, want again after 5", got, len(s.Sent("POST /order")))
	}
}
