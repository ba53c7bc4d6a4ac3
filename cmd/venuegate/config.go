package main

import (
	"crypto/x509"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/delivery"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
	"venuegate/transport/stream"
	"venuegate/transport/webhook"
	"venuegate/venues"
)

// Config is the configuration of the service. Only this package reads it; other
// packages receive plain options. Its sources are, in rising precedence: the
// defaults, a YAML file, VENUEGATE_* variables, flags.
//
// A variable's name is the key in capitals with an underscore between words:
// adminListen is VENUEGATE_ADMIN_LISTEN, log.level is VENUEGATE_LOG_LEVEL.
type Config struct {
	// Listen is the address of the public listener: REST, stream and hooks. An
	// address other than loopback requires TLS or BehindProxy.
	Listen string `yaml:"listen"`
	// PublicURL is the address under which clients reach the public listener, such as
	// https://trade.example.com. It begins the addresses of channels; empty is the address
	// of Listen.
	PublicURL string `yaml:"publicUrl"`
	// AdminListen is the address of the listener for metrics, health, profiles and
	// administration. It must be loopback.
	AdminListen string `yaml:"adminListen"`
	// Hosts are the host names and IP addresses under which clients call the public
	// listener; a request with another Host is rejected with 421. Loopback addresses,
	// localhost, the hosts in Listen and PublicURL, the address of the connection and the
	// names in the certificate need not be listed. With BehindProxy and no Hosts every host is
	// accepted.
	Hosts []string `yaml:"hosts"`
	// Data is the data directory. One process at a time may use it.
	Data string `yaml:"data"`
	// KeyFile holds the key that seals venue credentials. The first start creates
	// it. It must not be in Data, so that a copy of the directory cannot open its
	// own secrets. Default: Data with the suffix ".key".
	KeyFile string    `yaml:"keyFile"`
	TLS     TLSConfig `yaml:"tls"`
	// BehindProxy states that a proxy terminates TLS.
	BehindProxy bool `yaml:"behindProxy"`
	// TrustedProxies are addresses or prefixes whose X-Forwarded-For header is
	// used. Without them the client's address is that of the connection.
	TrustedProxies []string `yaml:"trustedProxies"`
	// HeaderPrefix is the prefix of the service's own header names.
	HeaderPrefix string                       `yaml:"headerPrefix"`
	Log          LogConfig                    `yaml:"log"`
	Venues       map[venues.Venue]VenueConfig `yaml:"venues"`
	Limits       LimitsConfig                 `yaml:"limits"`
	Streams      StreamsConfig                `yaml:"streams"`
	CORS         CORSConfig                   `yaml:"cors"`
	Console      ConsoleConfig                `yaml:"console"`
	Retention    RetentionConfig              `yaml:"retention"`
	Protection   ProtectionConfig             `yaml:"protection"`
	Delivery     DeliveryConfig               `yaml:"delivery"`
	Notify       NotifyConfig                 `yaml:"notify"`
	Tracing      TracingConfig                `yaml:"tracing"`
	// Demo serves simulated venues, with a customer and keys for them.
	Demo bool `yaml:"demo"`
	// Sim is a file written by `venuegate sim --out`: the demo uses the venues
	// that it describes instead of starting its own.
	Sim string `yaml:"sim"`
}

// TLSConfig names the certificate files of the public listener: both or neither.
type TLSConfig struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// Formats of the log on standard error.
const (
	logJSON    = "json"
	logConsole = "console"
)

// LogConfig configures the log.
type LogConfig struct {
	// Format is json (one object per line) or console (for people).
	Format string `yaml:"format"`
	// Level is debug, info, warn or error.
	Level string `yaml:"level"`
}

// Environments of a venue: a preset of hosts, or a simulator.
const (
	environmentLive = "live"
	environmentSim  = "sim"
)

// VenueConfig configures the connection to a venue.
type VenueConfig struct {
	// Environment is one of the venue's presets, or sim. The environment sim has no
	// preset hosts and requires RESTURL and WSURL.
	Environment string `yaml:"environment"`
	// RESTURL and WSURL replace the preset hosts: scheme and host of the venue's
	// REST API and of its WebSockets, including those for orders.
	RESTURL string `yaml:"restUrl"`
	WSURL   string `yaml:"wsUrl"`
	// OrderEntry is rest or websocket. With websocket, orders are sent over a kept
	// connection, and over REST while that is down.
	OrderEntry venues.OrderEntry `yaml:"orderEntry"`
	// AllowWithdrawal accepts API keys that may withdraw money, which are rejected
	// otherwise.
	AllowWithdrawal bool `yaml:"allowWithdrawal"`
}

// LimitsConfig bounds the connections of the process. Request limits per key are
// fixed by the API.
type LimitsConfig struct {
	// Connections bounds the connections to the public listener, including those
	// of the stream.
	Connections int `yaml:"connections"`
	// ConnectionsPerSource bounds the connections of one address (IPv6: one /64).
	// 0 means 200, and no bound if there are trusted proxies, which all connections
	// come from.
	ConnectionsPerSource int `yaml:"connectionsPerSource"`
	// StreamsPerKey bounds the stream connections of one API key.
	StreamsPerKey int `yaml:"streamsPerKey"`
}

// originAny in a list of origins allows the pages of every origin.
const originAny = "*"

// StreamsConfig configures the stream.
type StreamsConfig struct {
	// Origins are the origins whose pages may open the stream in a browser, such as
	// https://app.example.com, or originAny; default none. Other clients send no origin.
	Origins []string `yaml:"origins"`
	// Compression negotiates permessage-deflate with clients that offer it. It takes more
	// processor time than it saves in a local network.
	Compression bool `yaml:"compression"`
	// MaxAge is how long market data may wait in the service while more arrives than it can send;
	// older trades become one gap, and order books a new snapshot. Default 250ms.
	MaxAge time.Duration `yaml:"maxAge"`
}

// CORSConfig configures which pages in a browser may call the interface under /v1.
type CORSConfig struct {
	// Origins are like StreamsConfig.Origins. A page needs an API key; cookies are never
	// read.
	Origins []string `yaml:"origins"`
}

// Values of ConsoleConfig.RequireTOTP.
const (
	totpAuto   = "auto"
	totpAlways = "always"
	totpNever  = "never"
)

// ConsoleConfig configures the web console.
type ConsoleConfig struct {
	// Enabled serves the console at both listeners.
	Enabled bool `yaml:"enabled"`
	// URL is the address under which browsers reach the console, such as
	// https://trade.example.com; empty is PublicURL, or the address of Listen.
	URL string `yaml:"url"`
	// Idle is how long a session lives without use, Lifetime how long at all.
	Idle     time.Duration `yaml:"idle"`
	Lifetime time.Duration `yaml:"lifetime"`
	// RequireTOTP demands a second step of the users of customers: always, never, or auto,
	// which is always unless the console is reached over loopback or is that of the demo.
	RequireTOTP string `yaml:"requireTotp"`
}

// RetentionConfig configures how long records are kept.
type RetentionConfig struct {
	// Events and Journal are the retention of events and of journal rows. Events
	// are kept at least as long as the API serves them.
	Events  time.Duration `yaml:"events"`
	Journal time.Duration `yaml:"journal"`
	// Orders and Fills are the retention of closed orders and of fills, which are then
	// moved to files in the data directory (archive). Zero, the default, keeps them in the
	// store.
	Orders time.Duration `yaml:"orders"`
	Fills  time.Duration `yaml:"fills"`
}

// Values of ProtectionConfig.Unprotected.
const (
	unprotectedClose = "close"
	unprotectedKeep  = "keep"
)

// ProtectionConfig configures what happens when the stop loss or take profit of a
// fill is not open at the venue.
type ProtectionConfig struct {
	// AlarmAfter is the time after which an alert is written to the log and the
	// journal.
	AlarmAfter time.Duration `yaml:"alarmAfter"`
	// CloseAfter is the time after the fill when a reduce-only market order closes
	// the position instead.
	CloseAfter time.Duration `yaml:"closeAfter"`
	// Unprotected is close or keep. With keep the position stays open, protection
	// is retried without limit, and the alert repeats every CloseAfter.
	Unprotected string `yaml:"unprotected"`
}

func (c ProtectionConfig) policy() account.ProtectionPolicy {
	return account.ProtectionPolicy{AlarmAfter: c.AlarmAfter, CloseAfter: c.CloseAfter, KeepOpen: c.Unprotected == unprotectedKeep}
}

// DeliveryConfig configures the delivery of events to endpoints.
type DeliveryConfig struct {
	// Attempts is the number of attempts per event. Delays are the waits after
	// failed attempts, each counted from the end of the attempt; the last one is
	// used for all further attempts.
	Attempts int             `yaml:"attempts"`
	Delays   []time.Duration `yaml:"delays"`
	// Allow lists private addresses or prefixes that endpoints may resolve to: the
	// operator's own receivers.
	Allow []string `yaml:"allow"`
}

// NotifyConfig overrides the base URLs of the chat and spreadsheet APIs; empty
// values are the public ones.
type NotifyConfig struct {
	TelegramURL    string `yaml:"telegramUrl"`
	SheetsURL      string `yaml:"sheetsUrl"`
	GoogleTokenURL string `yaml:"googleTokenUrl"`
}

// TracingConfig configures the export of OpenTelemetry spans.
type TracingConfig struct {
	// OTLP is the address of a collector that accepts OTLP over HTTP, such as
	// http://127.0.0.1:4318. Empty exports nothing.
	OTLP string `yaml:"otlp"`
}

func (c DeliveryConfig) schedule() delivery.Schedule {
	return delivery.Schedule{Attempts: c.Attempts, Delays: c.Delays}
}

const day = 24 * time.Hour

// defaultDelivery returns the schedule of the API documents, to public addresses
// only.
func defaultDelivery() DeliveryConfig {
	schedule := delivery.ScheduleDefault()
	return DeliveryConfig{Attempts: schedule.Attempts, Delays: schedule.Delays}
}

// DefaultConfig returns the default of every setting.
func DefaultConfig() Config {
	return Config{
		Listen:       "127.0.0.1:8080",
		AdminListen:  "127.0.0.1:8081",
		Data:         "data",
		HeaderPrefix: "X-Service",
		Log:          LogConfig{Format: logJSON, Level: "info"},
		Venues:       defaultVenues(),
		Limits:       LimitsConfig{Connections: 4096, StreamsPerKey: 1024},
		Streams:      StreamsConfig{MaxAge: stream.AgeMaxDefault},
		Console:      ConsoleConfig{Enabled: true, Idle: 12 * time.Hour, Lifetime: 7 * day, RequireTOTP: totpAuto},
		Retention:    RetentionConfig{Events: api.EventsKept, Journal: 90 * day},
		Protection: ProtectionConfig{
			AlarmAfter: account.DefaultAlarmAfter, CloseAfter: account.DefaultCloseAfter, Unprotected: unprotectedClose,
		},
		Delivery: defaultDelivery(),
	}
}

// defaultVenues returns every venue in its live environment.
func defaultVenues() map[venues.Venue]VenueConfig {
	all := make(map[venues.Venue]VenueConfig, len(venueTable))
	for _, row := range venueTable {
		all[row.code] = VenueConfig{Environment: environmentLive, OrderEntry: venues.OrderEntryREST}
	}
	return all
}

// keyFile returns KeyFile, or its default next to the data directory.
func (c *Config) keyFile() string {
	if c.KeyFile != "" {
		return c.KeyFile
	}
	return filepath.Clean(c.Data) + ".key"
}

// useSimulators replaces the configured venues by simulated ones, and keeps their
// OrderEntry.
func (c *Config) useSimulators(described map[venues.Venue]SimVenue) {
	configured := c.Venues
	c.Venues = make(map[venues.Venue]VenueConfig, len(described))
	for venue, v := range described {
		c.Venues[venue] = VenueConfig{
			Environment: environmentSim, RESTURL: v.RESTURL, WSURL: v.WSURL, OrderEntry: configured[venue].OrderEntry,
		}
	}
}

// dialPolicy returns the policy for target addresses of events. The demo also allows
// loopback.
func (c *Config) dialPolicy() webhook.DialPolicy {
	p := webhook.DialPolicy{Allow: prefixesOf(c.Delivery.Allow), Ports: webhook.PortsDefault}
	if c.Demo {
		p.Allow = append(p.Allow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	return p
}

// publicHosts returns the hosts under which the public listener may be called.
func (c *Config) publicHosts(certificate *x509.Certificate) listen.Hosts {
	host, _, _ := net.SplitHostPort(c.Listen) // it has been validated
	names := append(slices.Clone(c.Hosts), host)
	if public, err := url.Parse(c.PublicURL); err == nil && public.Host != "" {
		names = append(names, public.Hostname())
	}
	return listen.Hosts{Any: c.BehindProxy && len(c.Hosts) == 0, Names: names, Certificate: certificate}
}

// prefixesOf parses a list that has been validated.
func prefixesOf(texts []string) []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		if prefix, err := auth.ParsePrefix(text); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// venueCodes returns the configured venues in the order of venues.All.
func (c *Config) venueCodes() []venues.Venue {
	return slices.DeleteFunc(venues.All(), func(v venues.Venue) bool {
		return !slices.Contains(slices.Collect(maps.Keys(c.Venues)), v)
	})
}
