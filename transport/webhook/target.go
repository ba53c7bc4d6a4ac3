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

// CheckTarget returns nil if a URL can be the target of an endpoint, else
// invalid_request for the member url. It does not resolve names: their addresses are
// checked at each connection.
func (p DialPolicy) CheckTarget(target string) error {
	u, err := url.Parse(target)
	switch {
	case len(target) > TargetBytesMax:
		return api.FieldError(targetMember, api.RuleTooLong, "", "at most "+strconv.Itoa(TargetBytesMax)+" bytes")
	case err != nil || u.Opaque != "" || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return api.FieldError(targetMember, api.RuleMalformed, "", "https:// or http:// and a host")
	case u.User != nil || u.Fragment != "":
		return api.FieldError(targetMember, api.RuleNotApplicable, "", "no user, no password, no fragment")
	}
	port, err := portOf(u)
	if err != nil {
		return api.FieldError(targetMember, api.RuleOutOfRange, u.Port(), "a port from 1 to 65535")
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil { // a name: it may resolve to an allowed address on any port
		if len(p.Allow) > 0 || slices.Contains(p.Ports, port) {
			return nil
		}
		return api.FieldError(targetMember, api.RuleUnusable, u.Port(), "the ports "+p.ports())
	}
	if p.Check(netip.AddrPortFrom(addr, port)) != nil {
		return api.FieldError(targetMember, api.RuleUnusable, u.Host, "a public address, on one of the ports "+p.ports())
	}
	return nil
}

// targetMember is the member of an endpoint that has the URL.
const targetMember = "url"

func (p DialPolicy) ports() string {
	list := make([]string, len(p.Ports))
	for i, port := range p.Ports {
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
