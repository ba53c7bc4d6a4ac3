package connectortest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"venuegate/venues/internal/connectortest"
)

// post sends a request and gives what came back.
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

func TestServerAnswersInTurnAndTheLastForEver(t *testing.T) {
	s := connectortest.NewServer(t)
	s.ClockName, s.Clock = "POST /time", func() string { return "noon" }
	checked := 0
	s.Check = func(*http.Request, string) { checked++ }
	s.On("POST /order", 500, "first")
	s.On("POST /order", 200, "then")
	for n, want := range []string{"first", "then", "then"} {
		if _, got := post(t, s, "/order?a=1", "b=2"); got != want {
			t.Errorf("answer %d is %s, want %s", n, got, want)
		}
	}
	if last := s.Last("POST /order"); last.Said != "a=1b=2" || last.Query.Get("a") != "1" || last.Body != "b=2" || s.Asked() != 3 || checked != 3 {
		t.Errorf("%+v of %d", last, s.Asked())
	}
	if _, got := post(t, s, "/time", ""); got != "noon" {
		t.Errorf("the time is %s", got)
	}
	s.Forget("POST /order")
	if status, _ := post(t, s, "/order", ""); status != http.StatusNotFound {
		t.Errorf("status %d of what nothing was told", status)
	}
	s.Only("POST /order", 200, "again")
	if _, got := post(t, s, "/order", ""); got != "again" || len(s.Sent("POST /order")) != 5 {
		t.Errorf("%s after %d requests", got, len(s.Sent("POST /order")))
	}
}
