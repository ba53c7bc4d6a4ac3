package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"

	"venuegate/venues"
)

// TargetBytesMax bounds the URL of an endpoint.
const TargetBytesMax = 2048

// CheckTarget says whether a URL can be an endpoint's target, as far as that can
// be seen without asking for its name: nil or CodeInvalidRequest. What the name
// leads to is decided at each connection.
func (g Guard) CheckTarget(target string) error {
	refuse := func(why string) *venues.Error {
		return venues.Errorf(venues.CodeInvalidRequest, "the url of an endpoint %s", why).With("field", "url")
	}
	u, err := url.Parse(target)
	switch {
	case len(target) > TargetBytesMax:
		return refuse("is at most " + strconv.Itoa(TargetBytesMax) + " bytes long")
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return refuse("is absolute and names a host")
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse("begins with https:// or http://")
	case u.User != nil:
		return refuse("carries no user or password")
	case u.Fragment != "":
		return refuse("has no fragment")
	}
	port, err := portOf(u)
	if err != nil {
		return refuse("has a port between 1 and 65535")
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil { // a name: it may lead to an allowed address on any port
		if len(g.Allow) > 0 || slices.Contains(g.Ports, port) {
			return nil
		}
		return refuse("has another port than those that are allowed")
	}
	if err := g.Check(netip.AddrPortFrom(addr, port)); err != nil {
		return refuse("leads to an address that is not allowed").Because(err)
	}
	return nil
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
