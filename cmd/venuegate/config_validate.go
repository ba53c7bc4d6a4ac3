package main

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
	"venuegate/venues/bybit"
)

// headerPrefixPattern keeps a prefix a proper part of a header's name.
var headerPrefixPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,30}[A-Za-z0-9]$`)

const (
	limitMax     = 1_000_000
	retentionMin = day
	retentionMax = 10 * 365 * day
)

// faults lists what cannot be used, in the order of the fields.
func (c *Config) faults() []ConfigFault {
	f := &faultList{}
	c.checkListeners(f)
	c.checkFiles(f)
	f.prefixes("trustedProxies", c.TrustedProxies)
	f.prefixes("delivery.allow", c.Delivery.Allow)
	for _, fault := range c.Delivery.schedule().Faults() {
		f.add(true, "delivery."+fault.Field, fault.Problem)
	}
	f.add(!headerPrefixPattern.MatchString(c.HeaderPrefix), "headerPrefix", "must be letters, digits and inner dashes, such as X-Service")
	f.oneOf("log.format", c.Log.Format, logJSON, logConsole)
	_, err := zapcore.ParseLevel(c.Log.Level)
	f.add(err != nil, "log.level", "must be debug, info, warn or error")
	for _, venue := range c.venueCodes() {
		c.Venues[venue].check(f, venue, c.Demo)
	}
	c.Limits.check(f)
	f.between("retention.events", c.Retention.Events, api.EventsKept, retentionMax)
	f.between("retention.journal", c.Retention.Journal, retentionMin, retentionMax)
	f.between("protection.alarmAfter", c.Protection.AlarmAfter, time.Second, time.Minute)
	f.between("protection.closeAfter", c.Protection.CloseAfter, c.Protection.AlarmAfter, time.Hour)
	f.oneOf("protection.unprotected", c.Protection.Unprotected, unprotectedClose, unprotectedKeep)
	f.add(c.Sim != "" && !c.Demo, "sim", "is for the demo: add --demo, or set the venues' addresses")
	return f.faults
}

func (c *Config) checkListeners(f *faultList) {
	if checkAddress(f, "listen", c.Listen) {
		open := c.TLS.Cert == "" && !c.BehindProxy && !isLoopback(c.Listen)
		f.add(open, "listen", "keys would travel in clear: set tls.cert and tls.key, or behindProxy if a proxy ends TLS")
	}
	if checkAddress(f, "adminListen", c.AdminListen) {
		f.add(!isLoopback(c.AdminListen), "adminListen", "must be a loopback address")
	}
	_, port, _ := net.SplitHostPort(c.Listen)
	f.add(port != "0" && c.Listen == c.AdminListen, "adminListen", "must differ from listen")
}

func (c *Config) checkFiles(f *faultList) {
	f.add(c.Data == "", "data", "must name a directory")
	f.add((c.TLS.Cert == "") != (c.TLS.Key == ""), "tls", "needs both cert and key")
	if c.KeyFile != "" && c.Data != "" {
		rel, err := filepath.Rel(c.Data, c.KeyFile)
		f.add(err == nil && filepath.IsLocal(rel), "keyFile", "must be outside the data directory: a copy of the one must not open the other")
	}
}

// check: the demo brings addresses of its own, so a simulated venue may lack
// them there.
func (v VenueConfig) check(f *faultList, venue venues.Venue, demo bool) {
	key := "venues." + string(venue)
	f.oneOf(key+".environment", v.Environment, environmentsOf[venue]...)
	f.oneOf(key+".orderEntry", string(v.OrderEntry), string(venues.OrderEntryREST), string(venues.OrderEntryWebSocket))
	f.add(v.OrderEntry == venues.OrderEntryWebSocket && venue == venues.Bybit && v.Environment == bybit.Demo,
		key+".orderEntry", "the demo environment takes orders by REST alone")
	for _, address := range []struct{ name, value, scheme string }{
		{"restUrl", v.RESTURL, "http"},
		{"wsUrl", v.WSURL, "ws"},
	} {
		if address.value == "" {
			f.add(v.Environment == environmentSim && !demo, key+"."+address.name, "is needed where the environment is sim")
			continue
		}
		f.add(!isVenueURL(address.value, address.scheme), key+"."+address.name,
			"must be "+address.scheme+":// or "+address.scheme+"s:// and a host, without user or query; unencrypted on loopback alone")
	}
}

func (l LimitsConfig) check(f *faultList) {
	for _, limit := range []struct {
		key          string
		value, least int
	}{
		{"limits.connections", l.Connections, 1},
		{"limits.connectionsPerSource", l.ConnectionsPerSource, 0},
		{"limits.streamsPerKey", l.StreamsPerKey, 1},
	} {
		f.add(limit.value < limit.least || limit.value > limitMax, limit.key,
			"must be "+strconv.Itoa(limit.least)+" to "+strconv.Itoa(limitMax))
	}
}

// faultList collects faults.
type faultList struct{ faults []ConfigFault }

func (f *faultList) add(faulty bool, key, problem string) {
	if faulty {
		f.faults = append(f.faults, ConfigFault{Key: key, Problem: problem})
	}
}

func (f *faultList) oneOf(key, value string, allowed ...string) {
	f.add(!slices.Contains(allowed, value), key, "must be one of "+strings.Join(allowed, ", ")+", not "+strconv.Quote(value))
}

func (f *faultList) between(key string, value, least, most time.Duration) {
	f.add(value < least || value > most, key, "must be "+least.String()+" to "+most.String())
}

func (f *faultList) prefixes(key string, list []string) {
	for i, text := range list {
		_, err := auth.ParsePrefix(text)
		f.add(err != nil, key, "entry "+strconv.Itoa(i+1)+" is neither an address nor a prefix: "+strconv.Quote(text))
	}
}

func checkAddress(f *faultList, key, address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.add(err != nil, key, "must be host:port, not "+strconv.Quote(address))
	return err == nil
}

// isLoopback says whether nobody outside this machine reaches a listener at
// the address. Names other than localhost may mean anything.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// isVenueURL: signed requests and account data do not cross a network in clear.
func isVenueURL(text, scheme string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	if u.Scheme == scheme+"s" {
		return true
	}
	return u.Scheme == scheme && isLoopback(net.JoinHostPort(u.Hostname(), "0"))
}
