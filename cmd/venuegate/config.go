package main

import (
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/delivery"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/webhook"
	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/bybit"
	"venuegate/venues/okx"
)

// Config is everything that an operator decides. It is read in this package
// alone; every other package gets plain options. Sources, later ones winning:
// the defaults, a YAML file, VENUEGATE_* variables, flags.
//
// A variable's name is the key in capitals with an underscore at each joint:
// adminListen is VENUEGATE_ADMIN_LISTEN, log.level is VENUEGATE_LOG_LEVEL.
type Config struct {
	// Listen is the public listener: REST, stream and hooks. Beyond loopback
	// it needs TLS, or a proxy that has it (BehindProxy).
	Listen string `yaml:"listen"`
	// AdminListen serves metrics, health, profiles and administration. It is
	// loopback always.
	AdminListen string `yaml:"adminListen"`
	// Data is the directory of everything that lasts. One process at a time.
	Data string `yaml:"data"`
	// KeyFile holds the key that seals venue credentials. It is made at the
	// first start. It does not belong into Data, lest a copy of the directory
	// opens its own secrets; default: Data with ".key" behind it.
	KeyFile string    `yaml:"keyFile"`
	TLS     TLSConfig `yaml:"tls"`
	// BehindProxy says that a proxy in front ends TLS.
	BehindProxy bool `yaml:"behindProxy"`
	// TrustedProxies are addresses or prefixes whose X-Forwarded-For is
	// believed. Without them the peer's address is the client's.
	TrustedProxies []string `yaml:"trustedProxies"`
	// HeaderPrefix begins the names of the service's own headers.
	HeaderPrefix string                       `yaml:"headerPrefix"`
	Log          LogConfig                    `yaml:"log"`
	Venues       map[venues.Venue]VenueConfig `yaml:"venues"`
	Limits       LimitsConfig                 `yaml:"limits"`
	Retention    RetentionConfig              `yaml:"retention"`
	Protection   ProtectionConfig             `yaml:"protection"`
	Delivery     DeliveryConfig               `yaml:"delivery"`
	Notify       NotifyConfig                 `yaml:"notify"`
	// Demo runs on simulated venues, with a customer and keys made for it.
	Demo bool `yaml:"demo"`
	// Sim is a file that `venuegate sim --out` wrote: the demo uses those
	// venues instead of its own.
	Sim string `yaml:"sim"`
}

// TLSConfig names the certificate of the public listener; both files or none.
type TLSConfig struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// Formats of the log on standard error.
const (
	logJSON    = "json"
	logConsole = "console"
)

// LogConfig shapes the log.
type LogConfig struct {
	// Format is json, a line each, or console, for people.
	Format string `yaml:"format"`
	// Level is debug, info, warn or error.
	Level string `yaml:"level"`
}

// Environments of a venue: a preset of hosts, or a simulator.
const (
	environmentLive = "live"
	environmentSim  = "sim"
)

// environmentsOf are the environments that each venue has.
var environmentsOf = map[venues.Venue][]string{
	venues.Binance: {binance.Live, binance.Testnet, environmentSim},
	venues.Bybit:   append(bybit.Environments(), environmentSim),
	venues.OKX:     {okx.Live, okx.Demo, okx.LiveEEA, okx.DemoEEA, okx.LiveUS, okx.DemoUS, environmentSim},
}

// VenueConfig says where a venue is.
type VenueConfig struct {
	// Environment is one of environmentsOf the venue; sim has no hosts of its
	// own and needs both addresses below.
	Environment string `yaml:"environment"`
	// RESTURL and WSURL replace the hosts of the preset: scheme and host of the
	// venue's REST interface and of its sockets, those for orders included.
	RESTURL string `yaml:"restUrl"`
	WSURL   string `yaml:"wsUrl"`
	// OrderEntry is rest, or websocket: orders go over a kept connection then,
	// and by REST while there is none.
	OrderEntry venues.OrderEntry `yaml:"orderEntry"`
	// AllowWithdrawal takes keys that may withdraw money, which are refused else.
	AllowWithdrawal bool `yaml:"allowWithdrawal"`
}

// LimitsConfig bounds what the process takes on. Limits of requests per key are
// the interface's, not the operator's.
type LimitsConfig struct {
	// Connections to the public listener, those of the stream included.
	Connections int `yaml:"connections"`
	// ConnectionsPerSource bounds those of one address (IPv6: one /64). Behind trusted proxies
	// all come from them, so there 0 is no bound; else 0 is 200.
	ConnectionsPerSource int `yaml:"connectionsPerSource"`
	// StreamsPerKey bounds the stream connections of one API key.
	StreamsPerKey int `yaml:"streamsPerKey"`
}

// RetentionConfig says how long finished things are kept.
type RetentionConfig struct {
	// Events and Journal; events at least as long as the interface serves
	// them.
	Events  time.Duration `yaml:"events"`
	Journal time.Duration `yaml:"journal"`
}

// What becomes of a position that cannot be protected.
const (
	unprotectedClose = "close"
	unprotectedKeep  = "keep"
)

// ProtectionConfig says what happens when the stop loss or take profit of a fill
// does not live.
type ProtectionConfig struct {
	// AlarmAfter is how long that may take before it is an alarm in the log and
	// the journal.
	AlarmAfter time.Duration `yaml:"alarmAfter"`
	// CloseAfter is when the position is closed by a reduce-only market order
	// instead, counted from the fill.
	CloseAfter time.Duration `yaml:"closeAfter"`
	// Unprotected is close, or keep: then protection is tried again for as long
	// as it takes, and the alarm repeats every CloseAfter.
	Unprotected string `yaml:"unprotected"`
}

func (c ProtectionConfig) policy() account.ProtectionPolicy {
	return account.ProtectionPolicy{AlarmAfter: c.AlarmAfter, CloseAfter: c.CloseAfter, KeepOpen: c.Unprotected == unprotectedKeep}
}

// DeliveryConfig says how events go to endpoints.
type DeliveryConfig struct {
	// Attempts is how often an event is tried; Delays are the waits after the
	// failed ones, each from the end of the attempt. The last serves all that
	// follow.
	Attempts int             `yaml:"attempts"`
	Delays   []time.Duration `yaml:"delays"`
	// Allow lists addresses or prefixes that endpoints may lead to though they
	// are not public: the operator's own receivers.
	Allow []string `yaml:"allow"`
}

// NotifyConfig says where the APIs of chats and spreadsheets are; empty is where
// their makers have them.
type NotifyConfig struct {
	TelegramURL    string `yaml:"telegramUrl"`
	SheetsURL      string `yaml:"sheetsUrl"`
	GoogleTokenURL string `yaml:"googleTokenUrl"`
}

func (c DeliveryConfig) schedule() delivery.Schedule {
	return delivery.Schedule{Attempts: c.Attempts, Delays: c.Delays}
}

const day = 24 * time.Hour

// defaultDelivery is the interface's schedule, to public addresses alone.
func defaultDelivery() DeliveryConfig {
	schedule := delivery.ScheduleDefault()
	return DeliveryConfig{Attempts: schedule.Attempts, Delays: schedule.Delays}
}

// DefaultConfig is what holds where nobody says otherwise.
func DefaultConfig() Config {
	return Config{
		Listen:       "127.0.0.1:8080",
		AdminListen:  "127.0.0.1:8081",
		Data:         "data",
		HeaderPrefix: "X-Service",
		Log:          LogConfig{Format: logJSON, Level: "info"},
		Venues: map[venues.Venue]VenueConfig{
			venues.Binance: {Environment: environmentLive, OrderEntry: venues.OrderEntryREST},
			venues.Bybit:   {Environment: environmentLive, OrderEntry: venues.OrderEntryREST},
			venues.OKX:     {Environment: environmentLive, OrderEntry: venues.OrderEntryREST},
		},
		Limits:    LimitsConfig{Connections: 4096, StreamsPerKey: 1024},
		Retention: RetentionConfig{Events: api.EventsKept, Journal: 90 * day},
		Protection: ProtectionConfig{
			AlarmAfter: account.DefaultAlarmAfter, CloseAfter: account.DefaultCloseAfter, Unprotected: unprotectedClose,
		},
		Delivery: defaultDelivery(),
	}
}

// keyFile is KeyFile, or its default beside the data directory.
func (c *Config) keyFile() string {
	if c.KeyFile != "" {
		return c.KeyFile
	}
	return filepath.Clean(c.Data) + ".key"
}

// useSimulators replaces the venues by simulated ones. How orders are entered
// stays.
func (c *Config) useSimulators(described map[venues.Venue]SimVenue) {
	configured := c.Venues
	c.Venues = make(map[venues.Venue]VenueConfig, len(described))
	for venue, v := range described {
		c.Venues[venue] = VenueConfig{
			Environment: environmentSim, RESTURL: v.RESTURL, WSURL: v.WSURL, OrderEntry: configured[venue].OrderEntry,
		}
	}
}

// guard decides where events may be sent. In the demo receivers are on this
// machine.
func (c *Config) guard() webhook.Guard {
	g := webhook.Guard{Allow: prefixesOf(c.Delivery.Allow), Ports: webhook.PortsDefault}
	if c.Demo {
		g.Allow = append(g.Allow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	return g
}

// prefixesOf reads a list that validation has read before.
func prefixesOf(texts []string) []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		if prefix, err := auth.ParsePrefix(text); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// venueCodes lists the configured venues in the service's order.
func (c *Config) venueCodes() []venues.Venue {
	return slices.DeleteFunc(venues.All(), func(v venues.Venue) bool {
		return !slices.Contains(slices.Collect(maps.Keys(c.Venues)), v)
	})
}
