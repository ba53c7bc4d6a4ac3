package auth_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/venues"
)

var read = []persistence.Scope{persistence.ScopeRead}

func TestKeyFormat(t *testing.T) {
	scanner := regexp.MustCompile(`^vgk_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$`)
	now := time.Date(2026, 11, 20, 9, 19, 0, 0, time.UTC)
	seen := map[string]bool{}
	for range 100 {
		key, record, err := auth.New(rand.Reader, auth.Grant{
			Customer: "cus_1", Name: "bot", Scopes: read, ExpiresAt: now.Add(time.Hour), Allow: []string{"10.0.0.0/8"},
		}, now)
		if err != nil {
			t.Fatal(err)
		}
		text := key.Reveal()
		if !scanner.MatchString(text) || seen[text] {
			t.Fatalf("key %q", text)
		}
		seen[text] = true
		secret := sha256.Sum256([]byte(text[13:56]))
		if record.ID != text[4:12] || !bytes.Equal(record.Hash, secret[:]) || record.Customer != "cus_1" || record.Name != "bot" ||
			!record.CreatedAt.Equal(now) || !record.ExpiresAt.Equal(now.Add(time.Hour)) || len(record.Allow) != 1 {
			t.Fatalf("record %+v", record)
		}
	}
}

// Golden: keys of customers keep working for ever.
func TestKeyIsAPureFunctionOfItsEntropy(t *testing.T) {
	key, record, err := auth.New(bytes.NewReader(bytes.Repeat([]byte{0, 61, 62, 255}, 64)), auth.Grant{Customer: "c", Scopes: read}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	const want = "vgk_0z00z00z_00z00z00z00z00z00z00z00z00z00z00z00z00z00z00fbPcT"
	if key.Reveal() != want || record.ID != "0z00z00z" {
		t.Errorf("got %s, want %s", key.Reveal(), want)
	}
	if !record.ExpiresAt.IsZero() {
		t.Error("a key without an end has one")
	}
}

func TestKeyIsNotPrinted(t *testing.T) {
	key, _, err := auth.New(rand.Reader, auth.Grant{Customer: "c", Scopes: read}, time.Now())
	if err != nil || key.String() != "[redacted]" {
		t.Errorf("%v, %v", key, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, g := range map[string]auth.Grant{
		"no scope":        {Customer: "c"},
		"unknown scope":   {Customer: "c", Scopes: []persistence.Scope{"admin"}},
		"no address":      {Customer: "c", Scopes: read, Allow: []string{"example.com"}},
		"too long a mask": {Customer: "c", Scopes: read, Allow: []string{"10.0.0.0/33"}},
	} {
		if _, _, err := auth.New(rand.Reader, g, time.Now()); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("no entropy")
	if _, _, err := auth.New(iotest.ErrReader(broken), auth.Grant{Customer: "c", Scopes: read}, time.Now()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Text with a wrong checksum costs no lookup.
func TestJunkReachesNoRecord(t *testing.T) {
	key, _, err := auth.New(rand.Reader, auth.Grant{Customer: "c", Scopes: read}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	good := key.Reveal()
	junk := []string{"", "vgk_", good[:len(good)-1], good + "0", strings.ToLower(good), " " + good, strings.Repeat("a", 1<<16)}
	for i := range good {
		altered := []byte(good)
		altered[i] ^= 1
		junk = append(junk, string(altered))
	}
	a := auth.NewAuthenticator(panicking{})
	for _, text := range junk {
		if _, err := a.Authenticate(t.Context(), text, netip.MustParseAddr("192.0.2.1")); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// FuzzKey: no text panics, is taken, or reaches the records unless it has the
// form of a key.
func FuzzKey(f *testing.F) {
	f.Add("vgk_0z00z00z_00z00z00z00z00z00z00z00z00z00z00z00z00z00z00z00fbPcT")
	f.Add("vgk_0z00z00z_00z00z00z00z00z00z00z00z00z00z00z00z00z00z00z00fbPcU")
	f.Add("vgk_\xff\xff\xff\xff\xff\xff\xff\xff_")
	form := regexp.MustCompile(`^vgk_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$`)
	f.Fuzz(func(t *testing.T, text string) {
		r := newRecords()
		if _, err := auth.NewAuthenticator(r).Authenticate(t.Context(), text, netip.Addr{}); err == nil {
			t.Fatalf("%q was taken", text)
		}
		if r.reads > 0 && !form.MatchString(text) {
			t.Fatalf("%q was looked up", text)
		}
	})
}
