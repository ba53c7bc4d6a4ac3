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
)

// headerPrefixPattern matches prefixes that are valid in a header name.
var headerPrefixPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,30}[A-Za-z0-9]$`)

// hostPattern matches host names.
var hostPattern = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$`)

const (
	limitMax     = 1_000_000
	retentionMin = day
	retentionMax = 10 * 365 * day
	// archiveMin is more than the life of a requestId and the day of the daily loss.
	archiveMin = 7 * day
	// Bounds of streams.maxAge: a shard may need some milliseconds for a round, and what is
	// older than a minute is of no use.
	streamAgeMin = 10 * time.Millisecond
	streamAgeMax = time.Minute
)

// invalidKeys returns the invalid keys, in the order of the fields.
func (c *Config) invalidKeys() []InvalidKey {
	f := &invalidKeys{}
	c.checkListeners(f)
	c.checkFiles(f)
	f.prefixes("trustedProxies", c.TrustedProxies)
	f.prefixes("delivery.allow", c.Delivery.Allow)
	for _, fault := range c.Delivery.schedule().Errors() {
		f.add(true, "delivery."+fault.Field, fault.Problem)
	}
	f.add(!headerPrefixPattern.MatchString(c.HeaderPrefix), "headerPrefix", "must be letters, digits and inner dashes, such as X-Service")
	f.oneOf("log.format", c.Log.Format, logJSON, logConsole)
	_, err := zapcore.ParseLevel(c.Log.Level)
	f.add(err != nil, "log.level", mustBeOneOf(c.Log.Level, []string{"debug", "info", "warn", "error"}))
	f.add(c.Tracing.OTLP != "" && !isCollectorURL(c.Tracing.OTLP), "tracing.otlp", "must be http:// or https:// and a host, without user or query")
	for _, venue := range c.venueCodes() {
		c.Venues[venue].check(f, venue, c.Demo)
	}
	c.Limits.check(f)
	f.origins("streams.origins", c.Streams.Origins)
	f.between("streams.maxAge", c.Streams.MaxAge, streamAgeMin, streamAgeMax)
	f.origins("cors.origins", c.CORS.Origins)
	c.checkConsole(f)
	f.between("retention.events", c.Retention.Events, api.EventsKept, retentionMax)
	f.between("retention.journal", c.Retention.Journal, retentionMin, retentionMax)
	if c.Retention.Orders != 0 {
		f.between("retention.orders", c.Retention.Orders, archiveMin, retentionMax)
	}
	if c.Retention.Fills != 0 {
		f.between("retention.fills", c.Retention.Fills, archiveMin, retentionMax)
	}
	f.between("protection.alarmAfter", c.Protection.AlarmAfter, time.Second, time.Minute)
	f.between("protection.closeAfter", c.Protection.CloseAfter, c.Protection.AlarmAfter, time.Hour)
	f.oneOf("protection.unprotected", c.Protection.Unprotected, unprotectedClose, unprotectedKeep)
	f.add(c.Sim != "" && !c.Demo, "sim", "requires the demo: add --demo, or set the addresses of the venues")
	return f.found
}

func (c *Config) checkListeners(f *invalidKeys) {
	if checkAddress(f, "listen", c.Listen) {
		open := c.TLS.Cert == "" && !c.BehindProxy && !isLoopback(c.Listen)
		f.add(open, "listen", "API keys would be sent unencrypted: set tls.cert and tls.key, or behindProxy if a proxy terminates TLS")
	}
	if checkAddress(f, "adminListen", c.AdminListen) {
		f.add(!isLoopback(c.AdminListen), "adminListen", "must be a loopback address")
	}
	for i, host := range c.Hosts {
		_, err := netip.ParseAddr(host)
		f.add(err != nil && !hostPattern.MatchString(host), "hosts", "entry "+strconv.Itoa(i+1)+" is neither a host name nor an IP address, without scheme and port: "+strconv.Quote(host))
	}
	f.add(c.PublicURL != "" && !isBaseURL(c.PublicURL), "publicUrl", "must be http:// or https:// and a host, without a path")
	_, port, _ := net.SplitHostPort(c.Listen)
	f.add(port != "0" && c.Listen == c.AdminListen, "adminListen", "must differ from listen")
}

// Bounds of the sessions of the console.
const (
	consoleIdleMin     = 5 * time.Minute
	consoleLifetimeMax = 90 * day
)

func (c *Config) checkConsole(f *invalidKeys) {
	const unencrypted = "passwords would be sent unencrypted: it must be https:// and a host, or http:// and a loopback address"
	f.add(c.Console.URL != "" && !isPrivateURL(c.Console.URL), "console.url", unencrypted)
	f.add(c.Console.Enabled && c.Console.URL == "" && isBaseURL(c.PublicURL) && !isPrivateURL(c.PublicURL), "console.url",
		unencrypted+"; publicUrl is not, so set it, or console.enabled to false")
	f.between("console.idle", c.Console.Idle, consoleIdleMin, consoleLifetimeMax)
	f.between("console.lifetime", c.Console.Lifetime, max(c.Console.Idle, consoleIdleMin), consoleLifetimeMax)
	f.oneOf("console.requireTotp", c.Console.RequireTOTP, totpAuto, totpAlways, totpNever)
}

// isPrivateURL reports whether text is scheme and host of a server to which nobody on the way
// can listen.
func isPrivateURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && isBaseURL(text) && (u.Scheme == "https" || isLoopback(net.JoinHostPort(u.Hostname(), "0")))
}

func (c *Config) checkFiles(f *invalidKeys) {
	f.add(c.Data == "", "data", "must name a directory")
	f.add((c.TLS.Cert == "") != (c.TLS.Key == ""), "tls", "needs both cert and key")
	if c.KeyFile != "" && c.Data != "" {
		rel, err := filepath.Rel(c.Data, c.KeyFile)
		f.add(err == nil && filepath.IsLocal(rel), "keyFile", "must be outside the data directory, so that a copy of the directory cannot open its secrets")
	}
}

// check reports invalid settings of a venue. In the demo a simulated venue may
// lack its addresses, because the demo sets them.
func (v VenueConfig) check(f *invalidKeys, venue venues.Venue, demo bool) {
	key := "venues." + string(venue)
	row, _ := venueRow(venue)
	f.oneOf(key+".environment", v.Environment, append(slices.Clone(row.environments), environmentSim)...)
	f.oneOf(key+".orderEntry", string(v.OrderEntry), string(venues.OrderEntryREST), string(venues.OrderEntryWebSocket))
	f.add(v.OrderEntry == venues.OrderEntryWebSocket && row.restOnly != "" && v.Environment == row.restOnly,
		key+".orderEntry", "the environment "+row.restOnly+" accepts orders over REST only")
	for _, address := range []struct{ name, value, scheme string }{
		{"restUrl", v.RESTURL, "http"},
		{"wsUrl", v.WSURL, "ws"},
	} {
		if address.value == "" {
			f.add(v.Environment == environmentSim && !demo, key+"."+address.name, "is required in the environment sim")
			continue
		}
		f.add(!isVenueURL(address.value, address.scheme), key+"."+address.name,
			"must be "+address.scheme+":// or "+address.scheme+"s:// and a host, without user or query; unencrypted only on loopback")
	}
}

func (l LimitsConfig) check(f *invalidKeys) {
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

// invalidKeys collects invalid keys.
type invalidKeys struct{ found []InvalidKey }

func (f *invalidKeys) add(invalid bool, key, problem string) {
	if invalid {
		f.found = append(f.found, InvalidKey{Key: key, Problem: problem})
	}
}

// origins reports entries that are no origin as browsers send it: an exact text.
func (f *invalidKeys) origins(key string, origins []string) {
	for i, origin := range origins {
		f.add(origin != originAny && !isOrigin(origin), key,
			"entry "+strconv.Itoa(i+1)+" must be "+originAny+", or http:// or https:// and a host in lower case, with a port only if it is not the usual one: "+strconv.Quote(origin))
	}
}

// isOrigin reports whether text is an origin in the form of RFC 6454, section 6.2.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || text != u.Scheme+"://"+u.Host || strings.ToLower(text) != text {
		return false
	}
	if port := u.Port(); port == "" && strings.HasSuffix(u.Host, ":") || port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		return false
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err == nil || hostPattern.MatchString(u.Hostname())
}

func (f *invalidKeys) oneOf(key, value string, allowed ...string) {
	f.add(!slices.Contains(allowed, value), key, mustBeOneOf(value, allowed))
}

func (f *invalidKeys) between(key string, value, least, most time.Duration) {
	f.add(value < least || value > most, key, "must be "+least.String()+" to "+most.String())
}

func (f *invalidKeys) prefixes(key string, list []string) {
	for i, text := range list {
		_, err := auth.ParsePrefix(text)
		f.add(err != nil, key, "entry "+strconv.Itoa(i+1)+" is neither an address nor a prefix: "+strconv.Quote(text))
	}
}

func checkAddress(f *invalidKeys, key, address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.add(err != nil, key, "must be host:port, not "+strconv.Quote(address))
	return err == nil
}

// isLoopback reports whether a listener at the address is reachable only from this
// machine. Host names other than localhost are not resolved and return false.
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

// isBaseURL reports whether text is scheme and host of an HTTP server.
func isBaseURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.Scheme+"://"+u.Host == text
}

// isCollectorURL reports whether text is the address of an HTTP server, with or without a
// path.
func isCollectorURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// isVenueURL reports whether text is a base URL of the scheme, encrypted unless it
// is loopback: signed requests and account data must not cross a network
// unencrypted.
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
