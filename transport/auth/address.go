package auth

import (
	"net/netip"
	"slices"
	"strings"
)

// Allows says whether a list of address prefixes lets source pass. An empty list
// lets everybody pass.
func Allows(allow []string, source netip.Addr) bool {
	return len(allow) == 0 || contains(parseAllow(allow), source)
}

// allows says whether a key may be used from source.
func (e *keyEntry) allows(source netip.Addr) bool {
	return len(e.key.Allow) == 0 || contains(e.allow, source)
}

func contains(prefixes []netip.Prefix, source netip.Addr) bool {
	source = source.Unmap().WithZone("")
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(source) })
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
