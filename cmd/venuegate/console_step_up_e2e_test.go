package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
)

// expireStepUps makes every session older than a step-up lasts.
func expireStepUps(ctx context.Context, store *badgerstore.Store) error {
	sessions, err := store.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		session.SteppedUpAt = venues.At(time.Now().Add(-5*time.Minute - time.Second))
		if err := store.Commit(ctx, persistence.Batch{Puts: []persistence.Record{session}}); err != nil {
			return err
		}
	}
	return nil
}

// TestConsoleAsksForThePassword acts in a session that is older than a step-up lasts: what makes
// the account safer is done at once, what makes it riskier after the password, and then it continues.
func TestConsoleAsksForThePassword(t *testing.T) {
	s, page := openConsole(t)
	page.enter(s)
	listen := s.demo.BaseURL
	s = s.withStore(func(store *badgerstore.Store) error { return expireStepUps(t.Context(), store) }, "--listen", listen[len("http://"):])
	testMode := func() any {
		return s.administer(http.StatusOK, http.MethodGet, "hooks/"+s.demo.Hook.ID, "")["testMode"]
	}
	asks := func() bool {
		return page.evaluate(`[...document.querySelectorAll("[role=dialog]")].some(e => e.textContent.includes("Confirm that it is you"))`) == "true"
	}

	page.open(s.demo.Console.URL + "/channels/" + s.demo.Hook.ID)
	page.press("Test mode on")
	eventually(t, "test mode without a password", func() bool { return testMode() == true })
	if asks() {
		t.Error("test mode on asks for the password, want it at once")
	}
	page.press("End test mode")
	page.confirm()
	eventually(t, "the question for the password", asks)
	if testMode() != true {
		t.Error("test mode has ended before the password, want it on")
	}
	page.fill("[role=dialog] input[autocomplete=current-password]", s.demo.Console.Password)
	page.press("Confirm")
	eventually(t, "the end of test mode", func() bool { return testMode() == false })
	page.wait(`!document.querySelector("[role=dialog]")`)

	page.open(s.demo.Console.URL + "/keys")
	page.press("New key")
	page.fill("[role=dialog] input[maxlength='64']", "within five minutes")
	page.press("Make the key")
	page.wait(`document.querySelector("[data-testid=secret]")`)
	page.wantOwnOrigin(s)
}
