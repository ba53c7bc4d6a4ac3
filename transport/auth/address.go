package auth

import (
	"net/netip"
	"strings"
)

// allows says whether a key may be used from source.
func (e *keyEntry) allows(source netip.Addr) bool {
	if len(e.key.Allow) == 0 {
		return true
	}
	source = source.Unmap().WithZone("")
	for _, prefix := range e.allow {
		if prefix.Contains(source) {
			return true
		}
	}
	return false
}

// parseAllow drops what cannot be read: such an entry allows nobody.
func parseAllow(entries []string) []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(entries))
	for _, entry := range entries {
		if prefix, err := parsePrefix(entry); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// parsePrefix reads "203.0.113.0/24" or a single address.
func parsePrefix(entry string) (netip.Prefix, error) {
	if strings.Contains(entry, "/") {
		prefix, err := netip.ParsePrefix(entry)
		return prefix.Masked(), err
	}
	addr, err := netip.ParseAddr(entry)
	if err != nil {
		return netip.Prefix{}, err
	}
	addr = addr.Unmap().WithZone("")
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}

// ipv6GroupBits: whoever has one IPv6 address has a /64 of them.
const ipv6GroupBits = 64

// sourceGroup is the address under which failures are counted.
func sourceGroup(source netip.Addr) string {
	source = source.Unmap().WithZone("")
	if source.Is6() {
		if group, err := source.Prefix(ipv6GroupBits); err == nil {
			return group.String()
		}
	}
	return source.String()
}
