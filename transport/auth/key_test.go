package auth_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
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

func TestKeyHasTheDocumentedFormat(t *testing.T) {
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
			t.Fatalf("key = %q, want a new one that matches %s", text, scanner)
		}
		seen[text] = true
		secret := sha256.Sum256([]byte(text[13:56]))
		if record.ID != text[4:12] || !bytes.Equal(record.Hash, secret[:]) || record.Customer != "cus_1" || record.Name != "bot" ||
			!record.CreatedAt.Equal(now) || !record.ExpiresAt.Equal(now.Add(time.Hour)) || len(record.Allow) != 1 {
			t.Fatalf("record = %+v, want that of key %s", record, text[4:12])
		}
	}
}

// The key is golden: keys of customers must stay valid.
func TestKeyDependsOnEntropyOnly(t *testing.T) {
	key, record, err := auth.New(bytes.NewReader(bytes.Repeat([]byte{0, 61, 62, 255}, 64)), auth.Grant{Customer: "c", Scopes: read}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	const want = "vgk_0z00z00z_00z00z00z00z00z00z00z00z00z00z00z00z00z00z00fbPcT"
	if key.Reveal() != want || record.ID != "0z00z00z" {
		t.Errorf("key = %s, want %s", key.Reveal(), want)
	}
	if !record.ExpiresAt.IsZero() {
		t.Errorf("ExpiresAt = %s, want none", record.ExpiresAt)
	}
}

func TestKeyIsNotPrinted(t *testing.T) {
	key, _, err := auth.New(rand.Reader, auth.Grant{Customer: "c", Scopes: read}, time.Now())
	if err != nil || key.String() != "[redacted]" {
		t.Errorf("key prints as %v, %v; want [redacted]", key, err)
	}
}

func TestNewRejectsInvalidGrants(t *testing.T) {
	for name, g := range map[string]auth.Grant{
		"no scope":        {Customer: "c"},
		"unknown scope":   {Customer: "c", Scopes: []persistence.Scope{"admin"}},
		"no address":      {Customer: "c", Scopes: read, Allow: []string{"example.com"}},
		"too long a mask": {Customer: "c", Scopes: read, Allow: []string{"10.0.0.0/33"}},
	} {
		if _, _, err := auth.New(rand.Reader, g, time.Now()); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%s: error %v, want invalid_request", name, err)
		}
	}
	broken := errors.New("no entropy")
	if _, _, err := auth.New(iotest.ErrReader(broken), auth.Grant{Customer: "c", Scopes: read}, time.Now()); !errors.Is(err, broken) {
		t.Errorf("error = %v, want %v", err, broken)
	}
}

// withChecksum returns the text of a key with the checksum of the rest.
func withChecksum(key string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := []byte(key)
	sum := crc32.ChecksumIEEE(text[:len(text)-6])
	for i := len(text) - 1; i >= len(text)-6; i-- {
		text[i] = digits[sum%62]
		sum /= 62
	}
	return string(text)
}

// Text with a wrong checksum, or with characters that New does not use, is rejected without a
// lookup.
func TestMalformedKeyIsNotLookedUp(t *testing.T) {
	key, _, err := auth.New(rand.Reader, auth.Grant{Customer: "c", Scopes: read}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	good := key.Reveal()
	if got := withChecksum(good); got != good {
		t.Fatalf("key with its checksum = %q, want %q", got, good)
	}
	junk := []string{"", "vgk_", good[:len(good)-1], good + "0", strings.ToLower(good), " " + good, strings.Repeat("a", 1<<16)}
	for i := range good {
		altered := []byte(good)
		altered[i] ^= 1
		junk = append(junk, string(altered))
	}
	for _, at := range []int{len("vgk_") + 1, len(good) - 10} { // in the id, in the secret
		altered := []byte(good)
		altered[at] = '-'
		junk = append(junk, withChecksum(string(altered)))
	}
	a := auth.NewAuthenticator(panicking{})
	for _, text := range junk {
		if _, err := a.Authenticate(t.Context(), text, netip.MustParseAddr("192.0.2.1")); err == nil {
			t.Errorf("%q was accepted, want an error", text)
		}
	}
}

// FuzzKey checks that no text panics or is accepted, and that only text with the
// form of a key is looked up.
func FuzzKey(f *testing.F) {
	f.Add("vgk_0z00z00z_00z00z00z00z00z00z00z00z00z00z00z00z00z00z00z00fbPcT")
	f.Add("vgk_0z00z00z_00z00z00z00z00z00z00z00z00z00z00z00z00z00z00z00fbPcU")
	f.Add("vgk_\xff\xff\xff\xff\xff\xff\xff\xff_")
	form := regexp.MustCompile(`^vgk_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$`)
	f.Fuzz(func(t *testing.T, text string) {
		r := newRecords()
		if _, err := auth.NewAuthenticator(r).Authenticate(t.Context(), text, netip.Addr{}); err == nil {
			t.Fatalf("%q was accepted, want an error", text)
		}
		if r.reads > 0 && !form.MatchString(text) {
			t.Fatalf("%q was looked up, want text of the form %s only", text, form)
		}
	})
}
