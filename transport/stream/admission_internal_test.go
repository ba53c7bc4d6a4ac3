package stream

import (
	"io"
	"net"
	"net/netip"
	"strconv"
	"testing"

	"venuegate/transport/auth"
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

// Revoking a key copies its own connections only, under the lock that new connections need, and
// a recheck those of one key at a time.
func TestRevocationDoesNotCopyAllConnections(t *testing.T) {
	const keys = 5_000
	a := newAdmission(&Options{ConnsMax: 2 * keys, ConnsPerKeyMax: 2, UnauthenticatedPerAddressMax: 1})
	var last *session
	for n := range keys {
		last = &session{}
		if err := a.admit(last); err != nil {
			t.Fatal(err)
		}
		of := &identity{Principal: auth.Principal{KeyID: "key_" + strconv.Itoa(n)}}
		if admitted, current := a.authenticate(last, of, 0); !admitted || !current {
			t.Fatalf("session %d: admitted %t, current %t, want both", n, admitted, current)
		}
	}
	var found []*session
	if allocs := testing.AllocsPerRun(10, func() { found = a.keyChanged(last.identity.KeyID) }); allocs > 4 {
		t.Errorf("allocations of a revocation = %v, want at most 4 with %d connections of other keys", allocs, keys)
	}
	if len(found) != 1 || found[0] != last {
		t.Errorf("sessions of the key = %d, want the one of the key", len(found))
	}
	rechecked := 0
	for s, identity := range a.authenticated() {
		rechecked++
		if s.identity != identity {
			t.Fatalf("identity = %v, want %v", identity, s.identity)
		}
		// A connection that ends meanwhile is released: the lock is free.
		a.release(s)
	}
	if rechecked != keys || len(a.byKey) != 0 {
		t.Errorf("rechecked connections = %d, keys left = %d, want %d and none", rechecked, len(a.byKey), keys)
	}
}
