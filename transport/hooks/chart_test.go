package hooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"venuegate/transport/hooks"
	"venuegate/venues"
)

// The time of a signal is looked at only where the channel sets a maximum age.
func TestTimeOfAChartSignal(t *testing.T) {
	body := fmt.Sprintf(`{"action":"cancel-all","channelToken":%q,"time":1795166340}`, token)
	unreadable := strings.Replace(body, "1795166340", `"soon"`, 1)
	e := newEdge(t)
	e.chart(unreadable).want(http.StatusAccepted, "")
	aged := e.channels[chartID]
	aged.Rules.MaxAgeSec = 60
	e.channels[chartID] = aged
	e.chart(unreadable).want(http.StatusBadRequest, venues.CodeInvalidRequest)
	e.chart(body).want(http.StatusAccepted, "")
	if got := e.accepted[len(e.accepted)-1].SentAt; got.Unix() != 1795166340 {
		t.Errorf("time = %v, want 1795166340", got)
	}
}

func TestChartSignalIsAccepted(t *testing.T) {
	body := fmt.Sprintf(`{"action":"order","exchange":"okx","symbol":"OKX:BTCUSDT.P","side":"sell","qty":0.010,"price":64000,"orderType":"limit","channelToken":%q,"time":"2026-11-20T09:19:00Z","strategy":"x"}`, token)
	e := newEdge(t)
	for _, media := range []string{"application/json", "text/plain; charset=utf-8"} {
		e.chart(body, "Content-Type", media).want(http.StatusAccepted, "")
	}
	if a := e.chart(body, "Content-Type", "application/xml").want(400, venues.CodeInvalidRequest); !strings.Contains(fmt.Sprint(a.details()), "application/json or text/plain") {
		t.Errorf("details = %v, want both media types", a.details())
	}
	s := e.accepted[0]
	if s.Auth != venues.AuthToken {
		t.Errorf("auth = %q, want %q", s.Auth, venues.AuthToken)
	}
	if s.Qty.Decimal.String() != "0.01" || s.Price.Decimal.String() != "64000" || s.Source != venues.SourceChart || s.RequestID != "" || !s.Implied ||
		!s.SentAt.IsZero() || len(s.Ignored) != 1 || s.Ignored[0] != "strategy" {
		t.Errorf("signal = %+v, want that of %s", s, body)
	}
	if text := fmt.Sprintf("%+v", s); strings.Contains(text, token) {
		t.Errorf("signal = %s, want no token in it", text)
	}
}

func TestUnauthenticatedChartSignalsAreRejected(t *testing.T) {
	body := fmt.Sprintf(`{"action":"notify","comment":"x","channelToken":%q}`, token)
	e := newEdge(t)
	for name, forged := range map[string]string{
		"no token":    `{"action":"notify","comment":"x"}`,
		"wrong token": strings.Replace(body, token, strings.Repeat("0", 43), 1),
		"not JSON":    "BUY NOW",
	} {
		if a := e.chart(forged); a.status != http.StatusUnauthorized {
			t.Errorf("%s: response = %d %v, want 401", name, a.status, a.body)
		}
	}
	for _, path := range []string{
		"/v1/hooks/chart/x", "/v1/hooks/chart/" + chartID, "/v1/hooks/in/" + chartID, "/v1/hooks/in/hook_none",
		"/v1/hooks/chart/" + hooks.Address(chartID, venues.Secret(strings.Repeat("a", 43))),
		"/v1/hooks/chart/" + hooks.Address(hookID, urlPart),
	} {
		e.post(path, body).want(http.StatusNotFound, venues.CodeNotFound)
	}
	e.chart(strings.Replace(body, `"notify"`, `"order"`, 1)).want(http.StatusBadRequest, venues.CodeInvalidRequest)
	if len(e.accepted) != 0 {
		t.Errorf("accepted signals = %d, want 0", len(e.accepted))
	}
}
