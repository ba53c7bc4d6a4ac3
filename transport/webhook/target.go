package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"venuegate/transport/api"
)

// TargetBytesMax bounds the URL of an endpoint.
const TargetBytesMax = 2048

// CheckTarget says whether a URL can be an endpoint's target, as far as that can
// be seen without asking for its name: nil, or invalid_request for the member url.
// What the name leads to is decided at each connection.
func (g Guard) CheckTarget(target string) error {
	u, err := url.Parse(target)
	switch {
	case len(target) > TargetBytesMax:
		return api.Fault(targetMember, api.RuleTooLong, "", "at most "+strconv.Itoa(TargetBytesMax)+" bytes")
	case err != nil || u.Opaque != "" || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return api.Fault(targetMember, api.RuleMalformed, "", "https:// or http:// and a host")
	case u.User != nil || u.Fragment != "":
		return api.Fault(targetMember, api.RuleNotApplicable, "", "no user, no password, no fragment")
	}
	port, err := portOf(u)
	if err != nil {
		return api.Fault(targetMember, api.RuleOutOfRange, u.Port(), "a port from 1 to 65535")
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil { // a name: it may lead to an allowed address on any port
		if len(g.Allow) > 0 || slices.Contains(g.Ports, port) {
			return nil
		}
		return api.Fault(targetMember, api.RuleUnusable, u.Port(), "the ports "+g.ports())
	}
	if g.Check(netip.AddrPortFrom(addr, port)) != nil {
		return api.Fault(targetMember, api.RuleUnusable, u.Host, "a public address, on one of the ports "+g.ports())
	}
	return nil
}

// targetMember is the URL's name in an endpoint.
const targetMember = "url"

func (g Guard) ports() string {
	list := make([]string, len(g.Ports))
	for i, port := range g.Ports {
		list[i] = strconv.Itoa(int(port))
	}
	return strings.Join(list, ", ")
}

func portOf(u *url.URL) (uint16, error) {
	switch {
	case u.Port() != "":
		n, err := strconv.ParseUint(u.Port(), 10, 16)
		if err == nil && n == 0 {
			err = strconv.ErrRange
		}
		return uint16(n), err
	case u.Scheme == "http":
		return 80, nil
	default:
		return 443, nil
	}
}
