package hooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/transport/hooks"
	"venuegate/venues"
)

// Requests with a wrong signature, token or address are counted for their channel, for a day.
func TestFailedProofsAreCounted(t *testing.T) {
	e := newEdge(t)
	body := fmt.Sprintf(`{"action":"notify","comment":"x","channelToken":%q}`, token)
	e.chart(body).want(http.StatusAccepted, "")
	e.chart(strings.Replace(body, token, strings.Repeat("0", 43), 1)).want(http.StatusUnauthorized, venues.CodeUnauthorized)
	e.post("/v1/hooks/chart/"+hooks.Address(chartID, venues.Secret(strings.Repeat("a", 43))), body).want(http.StatusNotFound, venues.CodeNotFound)
	e.post("/v1/hooks/in/"+hookID, body).want(http.StatusUnauthorized, venues.CodeBadSignature)
	e.post("/v1/hooks/in/hook_none", body).want(http.StatusNotFound, venues.CodeNotFound)
	for channel, want := range map[string]int{chartID: 2, hookID: 1, "hook_none": 0} {
		if got, since := e.proofs.Failed(channel); got != want || since.IsZero() {
			t.Errorf("failed proofs of %s = %d since %s, want %d", channel, got, since, want)
		}
	}
}

func TestFailedProofsAreForgottenAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := hooks.NewProofs()
		began := time.Now()
		for range 30 { // one an hour
			p.Fail("hook_1", time.Now())
			time.Sleep(time.Hour)
		}
		if got, since := p.Failed("hook_1"); got != 23 || !since.After(began) {
			t.Errorf("failed proofs = %d since %s, want those of the last 23 whole hours", got, since)
		}
		time.Sleep(24 * time.Hour)
		if got, _ := p.Failed("hook_1"); got != 0 {
			t.Errorf("failed proofs a day later = %d, want 0", got)
		}
	})
}
