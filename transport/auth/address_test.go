package auth_test

import (
	"net/netip"
	"testing"

	"venuegate/transport/auth"
)

// IPv4 in IPv6 notation is IPv4, as sources are: an allow-list with the one must not reject
// the other.
func TestPrefixesOfMappedAddressesAreIPv4(t *testing.T) {
	for text, want := range map[string]string{
		"203.0.113.7": "203.0.113.7/32", "::ffff:203.0.113.7": "203.0.113.7/32", "::ffff:203.0.113.7/128": "203.0.113.7/32",
		"203.0.113.9/24": "203.0.113.0/24", "::ffff:203.0.113.9/120": "203.0.113.0/24",
		"::ffff:203.0.113.9/96": "0.0.0.0/0", "::ffff:203.0.113.9/95": "::fffe:0:0/95",
		"2001:db8::1": "2001:db8::1/128", "2001:db8::1/48": "2001:db8::/48",
		"": "", "example.com": "", "203.0.113.0/33": "", "fe80::1%eth0": "",
	} {
		prefix, err := auth.ParsePrefix(text)
		if (err == nil) != (want != "") || err == nil && prefix.String() != want {
			t.Errorf("ParsePrefix(%q) = %s, %v, want %q", text, prefix, err, want)
		}
		if want == "" {
			continue
		}
		for _, source := range []netip.Addr{prefix.Addr(), netip.AddrFrom16(prefix.Addr().As16())} {
			if !auth.Allows([]string{text}, source) {
				t.Errorf("Allows(%q, %s) = false, want true", text, source)
			}
		}
	}
	if other := netip.MustParseAddr("203.0.114.7"); auth.Allows([]string{"::ffff:203.0.113.9/120"}, other) {
		t.Errorf("a list of another network allows %s, want it rejected", other)
	}
	if none := netip.MustParseAddr("203.0.113.7"); !auth.Allows(nil, none) || auth.Allows([]string{"everyone"}, none) {
		t.Error("an empty list must allow every address, a malformed one none")
	}
}
