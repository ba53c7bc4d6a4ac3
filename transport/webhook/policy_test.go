package webhook_test

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"venuegate/transport/api"
	"venuegate/transport/webhook"
	"venuegate/venues"
)

func TestPolicyDeniesInternalAddresses(t *testing.T) {
	policy := webhook.DialPolicy{Ports: webhook.PortsDefault}
	for address, allowed := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.15.255.255": true, "172.32.0.0": true, "100.63.255.255": true,
		"100.128.0.0": true, "223.255.255.255": true, "169.253.255.255": true, "198.17.255.255": true, "198.20.0.0": true,
		"2606:4700:4700::1111": true, "2a00:1450:4001::1": true, "2001:200::1": true, "::ffff:8.8.8.8": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "10.255.255.255": false, "100.64.0.1": false,
		"100.100.100.200": false, "127.0.0.1": false, "127.255.255.254": false, "168.63.129.16": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.192": false, "192.0.2.1": false,
		"192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false, "198.19.255.255": false, "198.51.100.1": false,
		"203.0.113.1": false, "224.0.0.1": false, "239.255.255.250": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false,
		"::ffff:0:10.0.0.1": false, "64:ff9b::a00:1": false, "64:ff9b::808:808": false, "64:ff9b:1::1": false, "100::1": false,
		"2001::1": false, "2001:0:a00:1::1": false, "2001:2::1": false, "2001:10::1": false, "2001:20::1": false,
		"2001:db8::1": false, "2002:7f00:1::1": false, "2002:808:808::1": false, "3fff::1": false, "5f00::1": false,
		"fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false, "2606:4700::1%eth0": false,
		"fec0::1": false, "ff02::1": false, "4000::1": false, "2620:4f:8000::1": false,
	} {
		err := policy.Check(netip.AddrPortFrom(netip.MustParseAddr(address), 443))
		if allowed != (err == nil) || (err != nil && !errors.Is(err, webhook.ErrDenied)) {
			t.Errorf("Check(%s) = %v, want allowed %v", address, err, allowed)
		}
	}
}

func TestPolicyAllowsPortsAndPrefixes(t *testing.T) {
	private := netip.MustParsePrefix("10.1.0.0/16")
	policy := webhook.DialPolicy{Ports: []uint16{443}, Allow: []netip.Prefix{private}}
	for address, allowed := range map[string]bool{
		"8.8.8.8:443": true, "8.8.8.8:80": false, "8.8.8.8:22": false, "8.8.8.8:0": false,
		"10.1.2.3:8080": true, "10.1.2.3:443": true, "[::ffff:10.1.2.3]:8080": true, "10.2.0.1:443": false,
	} {
		if err := policy.Check(netip.MustParseAddrPort(address)); allowed != (err == nil) {
			t.Errorf("Check(%s) = %v, want allowed %v", address, err, allowed)
		}
	}
	if err := (webhook.DialPolicy{}).Check(netip.MustParseAddrPort("8.8.8.8:443")); !errors.Is(err, webhook.ErrDenied) {
		t.Errorf("Check of the zero policy = %v, want ErrDenied", err)
	}
	if err := policy.Check(netip.AddrPort{}); !errors.Is(err, webhook.ErrDenied) {
		t.Errorf("Check of no address = %v, want ErrDenied", err)
	}
}

func TestCheckTargetRejectsUnusableURLs(t *testing.T) {
	policy := webhook.DialPolicy{Ports: webhook.PortsDefault}
	for target, allowed := range map[string]bool{
		"https://example.com/hook": true, "http://example.com:80/hook?token=x": true, "https://8.8.8.8/": true,
		"https://[2606:4700:4700::1111]/": true,

		"": false, "example.com/hook": false, "//example.com": false, "mailto:a@example.com": false,
		"ftp://example.com": false, "file:///etc/passwd": false, "https:///path": false, "https://user:pass@example.com/": false,
		"https://example.com/#part": false, "https://example.com:22/": false, "https://example.com:0/": false,
		"https://example.com:99999/": false, "https://127.0.0.1/": false, "https://[::1]/": false,
		"http://169.254.169.254/latest/meta-data": false, "https://[::ffff:10.0.0.1]/": false, "https://8.8.8.8:8443/": false,
		"https://exa mple.com/": false, "https://example.com/\x7f": false,
	} {
		err := policy.CheckTarget(target)
		if allowed != (err == nil) || (err != nil && !isURLError(err)) {
			t.Errorf("CheckTarget(%q) = %v, want allowed %v", target, err, allowed)
		}
	}
	local := webhook.DialPolicy{Ports: webhook.PortsDefault, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	for _, target := range []string{"http://127.0.0.1:9999/x", "http://localhost:9999/x"} {
		if err := local.CheckTarget(target); err != nil {
			t.Errorf("CheckTarget(%s) with loopback allowed = %v, want nil", target, err)
		}
	}
}

// isURLError reports whether an error has the member url and a documented rule, and no
// password.
func isURLError(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeInvalidRequest {
		return false
	}
	fields, _ := e.Details["fields"].([]venues.FieldError)
	return len(fields) == 1 && fields[0].Field == "url" && slices.Contains(api.Rules(), fields[0].Rule) && !strings.Contains(fields[0].Given, "pass")
}
