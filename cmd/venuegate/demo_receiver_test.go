package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// TestReceiverClosesAtOnce: a start that fails closes the receiver before it has
// begun to serve.
func TestReceiverClosesAtOnce(t *testing.T) {
	for range 200 {
		r, err := openReceiver(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReceiverUsesRotatedSecret rotates the secret while the demo runs.
func TestReceiverUsesRotatedSecret(t *testing.T) {
	r, err := openReceiver(t.Context(), "", "first")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	r.follow(func(context.Context) (venues.Secret, error) { return "second", nil })
	for _, c := range []struct {
		secret string
		status int
	}{{"first", http.StatusNoContent}, {"third", http.StatusUnauthorized}, {"second", http.StatusNoContent}, {"first", http.StatusUnauthorized}} {
		in := signed{url: r.url(), body: "{}", secret: c.secret, at: time.Now()}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url, strings.NewReader(in.body))
		if err != nil {
			t.Fatal(err)
		}
		in.sign(request.Header)
		request.Header.Set("X-Service-Event-Id", c.secret)
		if status, text := do(t, request); status != c.status {
			t.Errorf("signed with the %s: response = %d %s, want %d", c.secret, status, text, c.status)
		}
	}
}
