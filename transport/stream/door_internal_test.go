package stream

import (
	"io"
	"net"
	"net/netip"
	"testing"

	"venuegate/venues"
)

// Between the answer to an upgrade and the first frame the last place can go to
// another; the client then hears so by a close frame.
func TestRefusedAfterTheUpgrade(t *testing.T) {
	for _, tt := range []struct {
		shut bool
		want string
	}{
		{false, "\x88\x16\x03\xf5too many connections"},
		{true, "\x88\x10\x0f\xacserver restart"},
	} {
		d := newDoor(&Options{ConnsMax: 1, UnauthenticatedPerAddressMax: 1})
		first := &session{address: netip.MustParseAddr("203.0.113.7")}
		if err := d.enter(first); err != nil {
			t.Fatal(err)
		}
		if tt.shut {
			d.close()
		}
		err := d.enter(&session{address: first.address})
		if err == nil {
			t.Fatal("a second one was let in")
		}
		client, server := net.Pipe()
		go func() {
			refuse(server, err)
			_ = server.Close()
		}()
		got, readErr := io.ReadAll(client)
		if readErr != nil || string(got) != tt.want {
			t.Errorf("got %q, %v, want %q", got, readErr, tt.want)
		}
		d.leave(first)
	}
}

func TestRefusalsSayHowLongToWait(t *testing.T) {
	d := newDoor(&Options{})
	failure, ok := d.check(netip.Addr{}).(*venues.Error) //nolint:errorlint // exactly this is what the error handler gets
	if !ok || failure.RetryAfter <= 0 {
		t.Errorf("got %+v", failure)
	}
}
