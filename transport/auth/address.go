package auth

import (
	"net/netip"
	"slices"
)

// Allows reports whether a list of address prefixes contains source. An empty list
// allows every address.
func Allows(allow []string, source netip.Addr) bool {
	return len(allow) == 0 || contains(parseAllow(allow), source)
}

// allows reports whether a key may be used from source.
func (e *keyEntry) allows(source netip.Addr) bool {
	return len(e.key.Allow) == 0 || contains(e.allow, source)
}

func contains(prefixes []netip.Prefix, source netip.Addr) bool {
	source = source.Unmap().WithZone("")
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(source) })
}

// parseAllow drops malformed entries: such an entry allows no address.
func parseAllow(entries []string) []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(entries))
	for _, entry := range entries {
		if prefix, err := ParsePrefix(entry); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// mappedBits is the length of the prefix of IPv4 addresses in IPv6 notation.
const mappedBits = 96

// ParsePrefix parses "203.0.113.0/24", or a single address as a prefix of full
// length. IPv4 in IPv6 notation is returned as IPv4, as sources are.
func ParsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if addr := prefix.Addr(); err == nil && addr.Is4In6() && prefix.Bits() >= mappedBits {
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-mappedBits)
	}
	return prefix.Masked(), err
}
