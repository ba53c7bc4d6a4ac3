package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"venuegate/venues"
)

func TestLoadConfigLaterSourcesWin(t *testing.T) {
	file := writeFile(t, `
listen: 127.0.0.1:1000
data: /srv/from-file
log: {level: warn, format: console}
limits:
  connections: 700
venues:
  binance: {environment: testnet}
trustedProxies: [10.0.0.1, 10.1.0.0/16]
retention: {journal: 2400h, orders: 720h}
`)
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	flags.String("listen", "ignored default", "")
	flags.String("data", "ignored default", "")
	flags.Bool("print-config", false, "")
	if err := flags.Parse([]string{"--listen", "127.0.0.1:3000", "--print-config"}); err != nil {
		t.Fatal(err)
	}
	config, err := LoadConfig(Sources{
		File: file,
		Environ: []string{
			"HOME=/root", "VENUEGATE_LISTEN=127.0.0.1:2000", "VENUEGATE_ADMIN_LISTEN=127.0.0.1:2001",
			"VENUEGATE_LIMITS_STREAMS_PER_KEY=77", "VENUEGATE_BEHIND_PROXY=true", "VENUEGATE_FIXTURES=/elsewhere",
			"VENUEGATE_VENUES_BINANCE_REST_URL=https://example.test", "VENUEGATE_VENUES_BINANCE_ORDER_ENTRY=websocket",
		},
		Flags:    flags,
		FlagKeys: map[string]string{"listen": "listen", "data": "data"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.Listen = "127.0.0.1:3000"
	want.AdminListen = "127.0.0.1:2001"
	want.Data = "/srv/from-file"
	want.BehindProxy = true
	want.Log = LogConfig{Format: "console", Level: "warn"}
	want.Limits.Connections, want.Limits.StreamsPerKey = 700, 77
	want.Venues = map[venues.Venue]VenueConfig{
		venues.Binance: {Environment: "testnet", RESTURL: "https://example.test", OrderEntry: venues.OrderEntryWebSocket},
	}
	want.TrustedProxies = []string{"10.0.0.1", "10.1.0.0/16"}
	want.Retention.Journal = 2400 * time.Hour
	want.Retention.Orders = 720 * time.Hour
	if got, want := printed(t, config), printed(t, want); got != want {
		t.Errorf("loaded\n%s\nwant\n%s", got, want)
	}
}

func TestLoadConfigListFromEnvironment(t *testing.T) {
	config, err := LoadConfig(Sources{Environ: []string{"VENUEGATE_TRUSTED_PROXIES=10.0.0.1,::1", "VENUEGATE_DELIVERY_DELAYS=300ms,1h"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := config.Delivery.Delays, []time.Duration{300 * time.Millisecond, time.Hour}; !slices.Equal(got, want) {
		t.Errorf("delays = %v, want %v", got, want)
	}
	if got, want := config.TrustedProxies, []string{"10.0.0.1", "::1"}; !slices.Equal(got, want) {
		t.Errorf("trusted proxies = %q, want %q", got, want)
	}
}

// TestLoadConfigReportsInvalidKeys checks that the error contains the key, its
// source and the problem.
func TestLoadConfigReportsInvalidKeys(t *testing.T) {
	for _, c := range []struct {
		name, file string
		environ    []string
		want       []string
	}{
		{name: "unknown key", file: "lisen: 127.0.0.1:1", want: []string{"configuration (FILE): unknown key `lisen`; did you mean `listen`?"}},
		{name: "unknown key in a section", file: "log: {colour: red}", want: []string{"configuration (FILE): unknown key `log.colour`; `log` has the keys format, level"}},
		{name: "unknown venue", file: "venues: {ftx: {environment: live}}", want: []string{"configuration (FILE): unknown key `venues.ftx.environment`; `venues` has the keys binance, bybit, okx"}},
		{name: "section for a value", file: "listen: {host: a}", want: []string{"configuration (FILE): `listen` is a value, not a section"}},
		{name: "value for a section", file: "log: loud", want: []string{"configuration (FILE): `log` is a section with the keys format, level"}},
		{name: "dotted key", file: "log.level: debug", want: []string{"log.level"}},
		{name: "unknown variable", environ: []string{"VENUEGATE_LISTEM=x"}, want: []string{"configuration: unknown variable `VENUEGATE_LISTEM`; did you mean `VENUEGATE_LISTEN`?"}},
		{name: "bad number", environ: []string{"VENUEGATE_LIMITS_CONNECTIONS=many"}, want: []string{"limits.connections (VENUEGATE_LIMITS_CONNECTIONS): must be a whole number, not `many`"}},
		{name: "bad duration", file: "retention: {events: a month}", want: []string{"retention.events (FILE): must be a duration such as 90s or 24h, not `a month`"}},
		{name: "misspelled section", file: "limts: {connections: 3}", want: []string{"unknown key `limts.connections`; did you mean `limits.connections`?"}},
		{name: "unknown key of no section", file: "vault: x", want: []string{"configuration (FILE): unknown key `vault`; there are adminListen, behindProxy, "}},
		{name: "bad entry of a list", file: "delivery: {delays: [1s, later]}", want: []string{"delivery.delays.1 (FILE): must be a duration such as 90s or 24h, not `later`"}},
		{name: "list for a number", file: "limits: {connections: [1]}", want: []string{"limits.connections (FILE): must be a whole number"}},
		{name: "misspelled value", file: "log: {level: inof}", want: []string{"not `inof`; did you mean `info`?"}},
		{name: "bad boolean", file: "behindProxy: perhaps", want: []string{"behindProxy (FILE): must be true or false, not `perhaps`"}},
		{name: "two bad values", file: "behindProxy: perhaps\nlimits: {connections: x}", want: []string{"behindProxy", "limits.connections"}},
		{name: "duplicate key", file: "data: a\ndata: b", want: []string{"file FILE: ", "data"}},
		{name: "not YAML", file: "{", want: []string{"file FILE: "}},
		{name: "clear text beyond loopback", file: "listen: 0.0.0.0:80", want: []string{"listen (FILE): API keys would be sent unencrypted"}},
		{name: "every interface", file: "listen: :80", want: []string{"listen (FILE): API keys would be sent unencrypted"}},
		{name: "host with a port", file: "hosts: [a.example, 'b.example:443']", want: []string{`hosts (FILE): entry 2 is neither a host name nor an IP address, without scheme and port: "b.example:443"`}},
		{name: "host with a scheme", environ: []string{"VENUEGATE_HOSTS=https://a.example"}, want: []string{"hosts (VENUEGATE_HOSTS): entry 1"}},
		{name: "origin without a scheme", file: "streams: {origins: ['https://a.example', b.example]}", want: []string{`streams.origins (FILE): entry 2 must be *, or http`}},
		{name: "origin with a path", file: "cors: {origins: ['https://a.example/']}", want: []string{"cors.origins (FILE): entry 1"}},
		{name: "origin with its usual port", environ: []string{"VENUEGATE_CORS_ORIGINS=https://a.example:443"}, want: []string{"cors.origins (VENUEGATE_CORS_ORIGINS): entry 1"}},
		{name: "origin in capitals", file: "cors: {origins: ['https://A.example']}", want: []string{"cors.origins (FILE): entry 1"}},
		{name: "origin of every subdomain", file: "cors: {origins: ['https://*.example.com']}", want: []string{"cors.origins (FILE): entry 1"}},
		{name: "origin of a file", file: "cors: {origins: ['null']}", want: []string{"cors.origins (FILE): entry 1"}},
		{name: "no port", file: "listen: localhost", want: []string{"listen (FILE): must be host:port"}},
		{name: "open administration", file: "adminListen: 0.0.0.0:81\nbehindProxy: true", want: []string{"adminListen (FILE): must be a loopback address"}},
		{name: "one listener for both", file: "adminListen: 127.0.0.1:8080", want: []string{"adminListen (FILE): must differ from listen"}},
		{name: "public address with a path", file: "publicUrl: https://example.com/x", want: []string{"publicUrl (FILE): must be http:// or https:// and a host"}},
		{name: "console in clear text", file: "console: {url: 'http://trade.example.com'}", want: []string{"console.url (FILE): passwords would be sent unencrypted"}},
		{name: "console with a path", file: "console: {url: 'https://example.com/console'}", want: []string{"console.url (FILE): passwords"}},
		{name: "console at a public address in clear text", file: "publicUrl: http://example.com\nbehindProxy: true", want: []string{"console.url: passwords would be sent unencrypted"}},
		{name: "console that forgets at once", file: "console: {idle: 1s}", want: []string{"console.idle (FILE): must be 5m0s to"}},
		{name: "console that ends before it is idle", file: "console: {lifetime: 1h}", want: []string{"console.lifetime (FILE): must be 12h0m0s to"}},
		{name: "second step perhaps", file: "console: {requireTotp: perhaps}", want: []string{"console.requireTotp (FILE): must be auto, always or never"}},
		{name: "collector by gRPC", file: "tracing: {otlp: 'grpc://127.0.0.1:4317'}", want: []string{"tracing.otlp (FILE): must be http:// or https:// and a host"}},
		{name: "half a certificate", file: "tls: {cert: a.pem}", want: []string{"tls: needs both cert and key"}},
		{name: "key beside the lock it opens", file: "data: d\nkeyFile: d/key", want: []string{"keyFile (FILE): must be outside the data directory"}},
		{name: "proxy", file: "trustedProxies: [example.com]", want: []string{`trustedProxies (FILE): entry 1 is neither an address nor a prefix: "example.com"`}},
		{name: "header prefix", file: "headerPrefix: 'X Service'", want: []string{"headerPrefix (FILE): must be"}},
		{name: "log format", file: "log: {format: xml}", want: []string{"log.format (FILE): must be json or console, not `xml`"}},
		{name: "log level", file: "log: {level: loud}", want: []string{"log.level (FILE): must be debug, info, warn or error, not `loud`"}},
		{name: "environment", file: "venues: {binance: {environment: moon}}", want: []string{"venues.binance.environment (FILE): must be live,"}},
		{name: "order entry", file: "venues: {okx: {orderEntry: fix}}", want: []string{"venues.okx.orderEntry (FILE): must be rest or websocket, not `fix`"}},
		{name: "order entry that the environment lacks", file: "venues: {bybit: {environment: demo, orderEntry: websocket}}", want: []string{"venues.bybit.orderEntry (FILE): the environment demo accepts"}},
		{name: "simulated venue without addresses", file: "venues: {binance: {environment: sim}}", want: []string{"venues.binance.restUrl: is required", "venues.binance.wsUrl: is required"}},
		{name: "venue in clear", file: "venues: {binance: {restUrl: http://example.com}}", want: []string{"venues.binance.restUrl (FILE): must be"}},
		{name: "venue with a password", file: "venues: {binance: {restUrl: 'https://u:p@example.com'}}", want: []string{"venues.binance.restUrl (FILE): must be"}},
		{name: "limit", file: "limits: {connections: 0}", want: []string{"limits.connections (FILE): must be 1 to 1000000"}},
		{name: "protection closed before the alarm", file: "protection: {closeAfter: 2s}", want: []string{"protection.closeAfter (FILE): must be 5s to"}},
		{name: "unknown end of the unprotected", file: "protection: {unprotected: hope}", want: []string{"protection.unprotected (FILE):"}},
		{name: "orders kept for a day", file: "retention: {orders: 24h}", want: []string{"retention.orders (FILE): must be 168h0m0s to"}},
		{name: "fills kept for a day", file: "retention: {fills: 24h}", want: []string{"retention.fills (FILE): must be 168h0m0s to"}},
		{name: "retention shorter than served", file: "retention: {events: 24h}", want: []string{"retention.events (FILE): must be 720h0m0s to"}},
		{name: "no delivery attempt", file: "delivery: {attempts: 0}", want: []string{"delivery.attempts (FILE): must be 1 to 20"}},
		{name: "receivers of no network", file: "delivery: {allow: [everywhere]}", want: []string{"delivery.allow (FILE): entry 1 is neither"}},
		{name: "simulators without a demo", file: "sim: a.json", want: []string{"sim (FILE): requires the demo"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Sources{Environ: c.environ}
			if c.file != "" {
				s.File = writeFile(t, c.file)
			}
			_, err := LoadConfig(s)
			if _, ok := errors.AsType[*ConfigError](err); !ok {
				t.Fatalf("error %v, want a ConfigError", err)
			}
			text := err.Error()
			for _, want := range c.want {
				if want = strings.ReplaceAll(want, "FILE", s.File); !strings.Contains(text, want) {
					t.Errorf("error\n%s\nwant it to contain %q", text, want)
				}
			}
		})
	}
}

func TestLoadConfigAccepts(t *testing.T) {
	for _, file := range []string{
		"",
		"log:\n",
		"hosts: [api.example.com, '2001:db8::1', 192.0.2.7, gateway]",
		"listen: '[::1]:8080'",
		"listen: localhost:8080",
		"streams: {origins: ['https://app.example.com', 'http://127.0.0.1:3000', 'http://[::1]:3000'], compression: true}\ncors: {origins: ['*']}",
		"listen: 0.0.0.0:443\ntls: {cert: a, key: b}",
		"listen: :8080\nbehindProxy: true",
		"listen: 127.0.0.1:0\nadminListen: 127.0.0.1:0",
		"demo: true\nvenues: {binance: {environment: sim}}",
		"delivery: {attempts: 2, delays: [1s, 90m], allow: [10.0.0.0/8, '::1']}",
		"venues: {binance: {restUrl: 'http://127.0.0.1:9', wsUrl: 'ws://[::1]:9/x'}}",
		"venues: {binance: {environment: testnet, restUrl: 'https://r.example/prefix', wsUrl: 'wss://s.example'}}",
	} {
		if _, err := LoadConfig(Sources{File: writeFile(t, file)}); err != nil {
			t.Errorf("%q: error %v, want none", file, err)
		}
	}
}

func TestLoadConfigMissingFile(t *testing.T) {
	_, err := LoadConfig(Sources{File: filepath.Join(t.TempDir(), "absent.yaml")})
	if _, ok := errors.AsType[*ConfigError](err); !ok || !strings.Contains(err.Error(), "absent.yaml") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// TestPrintedConfigLoadsAgain checks that the output of --print-config is a file that
// results in the same configuration.
func TestPrintedConfigLoadsAgain(t *testing.T) {
	first := printed(t, DefaultConfig())
	config, err := LoadConfig(Sources{File: writeFile(t, first)})
	if err != nil {
		t.Fatal(err)
	}
	if second := printed(t, config); second != first {
		t.Errorf("printed again\n%s\nwant\n%s", second, first)
	}
	if !strings.Contains(first, "keyFile: data.key") {
		t.Errorf("printed\n%s\nwant the default key file in it", first)
	}
}

func TestEnvName(t *testing.T) {
	for key, want := range map[string]string{
		"listen":                 "VENUEGATE_LISTEN",
		"adminListen":            "VENUEGATE_ADMIN_LISTEN",
		"venues.binance.restUrl": "VENUEGATE_VENUES_BINANCE_REST_URL",
	} {
		if got := envName(key); got != want {
			t.Errorf("envName(%s) = %s, want %s", key, got, want)
		}
	}
}

func printed(t *testing.T, config Config) string {
	t.Helper()
	var out bytes.Buffer
	if err := config.Print(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "venuegate.yaml")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestNamedVenuesReplaceTheDefaultOnes(t *testing.T) {
	for file, want := range map[string]int{"": len(venues.All()), "venues: {okx: {environment: demo_eea}}": 1, "venues: {okx: {environment: live}, bybit: {environment: demo}}": 2} {
		sources := Sources{}
		if file != "" {
			sources.File = writeFile(t, file)
		}
		config, err := LoadConfig(sources)
		if err != nil || len(config.Venues) != want {
			t.Errorf("%q: venues = %v, error %v, want %d", file, config.Venues, err, want)
		}
	}
}
