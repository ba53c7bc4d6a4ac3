package stream

import (
	"io"
	"net"
	"net/netip"
	"testing"

	"venuegate/venues"
)

// Between the upgrade and the first frame another connection can reach the limit. The
// client then receives a close frame.
func TestRejectionAfterTheUpgrade(t *testing.T) {
	for _, tt := range []struct {
		closed bool
		want   string
	}{
		{false, "\x88\x16\x03\xf5too many connections"},
		{true, "\x88\x10\x0f\xacserver restart"},
	} {
		a := newAdmission(&Options{ConnsMax: 1, UnauthenticatedPerAddressMax: 1})
		first := &session{address: netip.MustParseAddr("203.0.113.7")}
		if err := a.admit(first); err != nil {
			t.Fatal(err)
		}
		if tt.closed {
			a.close()
		}
		err := a.admit(&session{address: first.address})
		if err == nil {
			t.Fatal("a second session was admitted, want an error")
		}
		client, server := net.Pipe()
		go func() {
			closeUnadmitted(server, err)
			_ = server.Close()
		}()
		got, readErr := io.ReadAll(client)
		if readErr != nil || string(got) != tt.want {
			t.Errorf("close frame = %q, error %v, want %q", got, readErr, tt.want)
		}
		a.release(first)
	}
}

func TestRejectionsHaveRetryAfter(t *testing.T) {
	a := newAdmission(&Options{})
	failure, ok := a.check(netip.Addr{}).(*venues.Error) //nolint:errorlint // the error handler gets exactly this type
	if !ok || failure.RetryAfter <= 0 {
		t.Errorf("error = %+v, want a *venues.Error with RetryAfter", failure)
	}
}
