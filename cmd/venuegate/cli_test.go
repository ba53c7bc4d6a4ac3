package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// run executes a command line in this process and returns its output.
func run(ctx context.Context, args ...string) (status int, out, err string) {
	var stdout, stderr lockedBuffer
	status = execute(ctx, args, shell{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return status, stdout.String(), stderr.String()
}

// lockedBuffer is a buffer for concurrent writes and reads.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func TestExitStatus(t *testing.T) {
	bad := writeFile(t, "lisen: 1")
	empty := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		// output is a part of the output on either stream.
		output string
	}{
		{[]string{}, exitOK, "Usage:"},
		{[]string{"version"}, exitOK, "venuegate unknown go"},
		{[]string{"version"}, exitOK, "\nconsole: "},
		{[]string{"--version"}, exitOK, "venuegate unknown go"},
		{[]string{"serve", "--help"}, exitOK, "--admin-listen"},
		{[]string{"serve", "--print-config", "--listen", "127.0.0.1:7"}, exitOK, "listen: 127.0.0.1:7\n"},
		{[]string{"serve", "--config", bad}, exitUsage, "configuration (" + bad + "): unknown key `lisen`; did you mean `listen`?"},
		{[]string{"serve", "--listen", "0.0.0.0:80", "--print-config"}, exitUsage, "listen (--listen): API keys would be sent unencrypted"},
		{[]string{"serve", "--config", "/nonexistent.yaml"}, exitUsage, "/nonexistent.yaml"},
		{[]string{"serve", "--lisen", "x"}, exitUsage, "unknown flag `--lisen`; did you mean `--listen`?"},
		{[]string{"serve", "now"}, exitUsage, "unexpected argument `now`: venuegate serve\n"},
		{[]string{"fly"}, exitUsage, "unknown command `fly`\nvenuegate has the commands accounts, alerts, "},
		{[]string{"keys", "lisst"}, exitUsage, "unknown command `lisst`; did you mean `list`?\nvenuegate keys has the commands change, create, list, revoke\n"},
		{[]string{"keys", "create", "--scopes", "read,trad"}, exitUsage, "--scopes must be read, trade or account, not `trad`; did you mean `trade`?"},
		{[]string{"keys", "list", "-o", "xml"}, exitUsage, "--output must be table, json, jsonl or csv, not `xml`"},
		{[]string{"keys", "create", "--expires", "soon"}, exitUsage, "--expires must be a duration such as 90s or 24h, not `soon`"},
		{[]string{"journal", "list", "--limit", "ten"}, exitUsage, "--limit must be a whole number, not `ten`"},
		{[]string{"watch"}, exitUsage, "CHANNEL is missing: venuegate watch CHANNEL...\n"},
		{[]string{"keys", "create", "--name", "k"}, exitUsage, `"customer" not set`},
		{[]string{"keys", "revoke"}, exitUsage, "ID is missing: venuegate keys revoke ID\n"},
		{[]string{"keys", "list", "--data", empty}, exitFailed, "no service has run on " + empty},
		{[]string{"keys", "change", "k"}, exitUsage, "nothing to change"},
		{[]string{"hooks", "change", "hook_1", "--data", empty}, exitUsage, "nothing to change"},
		{[]string{"endpoints", "change", "end_1"}, exitUsage, "nothing to change"},
		{[]string{"alerts", "change", "al_1"}, exitUsage, "nothing to change"},
		{[]string{"watch", "trade:okx:BTCUSDT"}, exitFailed, "unknown channel `trade:okx:BTCUSDT`; did you mean `trades:okx:BTCUSDT`?\nchannels: book:VENUE:"},
		{[]string{"watch", "trades:binance:BTCUSDT", "--data", empty}, exitFailed, "no API key"},
		{[]string{"bench", "levitation"}, exitUsage, "unknown scenario `levitation`\nscenarios: "},
		{[]string{"bench", "order"}, exitUsage, "unknown scenario `order`; did you mean `orders`?"},
		{[]string{"sim", "--replay", "ftx=/dev/null"}, exitFailed, "--replay must be binance, bybit or okx, not `ftx`"},
		{[]string{"sim", "--replay", "binance=/nonexistent"}, exitFailed, "/nonexistent"},
		{[]string{"sim", "--replay", "okx=/nonexistent"}, exitFailed, "/nonexistent"},
		{[]string{"sim", "--rate", "0"}, exitUsage, "--rate must be above zero"},
		{[]string{"sim", "--rate", "20001"}, exitUsage, "--rate must be between 1 and 20000, not 20001"},
		{[]string{"sim", "--rate", "fast"}, exitUsage, "--rate must be a whole number, not `fast`"},
		{[]string{"sim", "--symbols", "-3"}, exitUsage, "--symbols must be between 1 and 500, not -3"},
		{[]string{"sim", "--book-step", "10us"}, exitUsage, "--book-step must be between 1ms and 1m0s, not 10µs"},
		{[]string{"sim", "--book-step", "10"}, exitUsage, "--book-step must be a duration such as 90s or 24h, not `10`"},
		{[]string{"sim", "--quiet-market", "--book-step", "10ms"}, exitUsage, "--book-step has no effect with --quiet-market"},
		{[]string{"sim", "--listen", "0.0.0.0:0"}, exitFailed, "not a loopback address"},
	} {
		status, out, err := run(t.Context(), c.args...)
		if status != c.status || !strings.Contains(out+err, c.output) {
			t.Errorf("venuegate %s: status %d, want %d and %q:\n%s%s", strings.Join(c.args, " "), status, c.status, c.output, out, err)
		}
	}
}

// TestErrorsListAllowedValues checks that the error of an invalid value contains the
// allowed ones.
func TestErrorsListAllowedValues(t *testing.T) {
	for answer, want := range map[string]string{
		`{"error":{"code":"invalid_request","message":"types: not allowed","details":{"fields":[{"field":"types","rule":"not allowed","given":"x","allowed":"a b"}]}}}`:                    "invalid_request: types: not allowed\n  types may be: a b",
		`{"error":{"code":"invalid_request","message":"types","details":{"fields":[{"field":"types","rule":"unknown_value","given":"order.filed","allowed":"order.filled order.open"}]}}}`: "invalid_request: types\n  types may be: order.filled order.open; did you mean `order.filled`?",
		`{"error":{"code":"not_found","message":"there is no such record","details":{}}}`:                                                                                                  "not_found: there is no such record",
		`<html>`: "the service responds with 502 Bad Gateway",
	} {
		if got := responseError("502 Bad Gateway", []byte(answer)).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestTablesShowRemovedRecords checks the state column of a removed record.
func TestTablesShowRemovedRecords(t *testing.T) {
	at := venues.At(time.Now())
	for name, rows := range map[string][][]string{
		"endpoint": endpointRows(registry.Endpoint{RemovedAt: at}), "hook": hookRows(registry.Hook{RemovedAt: at}), "alert": alertRows(registry.Alert{RemovedAt: at}),
	} {
		if !slices.Contains(rows[len(rows)-1], "removed") {
			t.Errorf("%s: rows = %q, want the state removed in the last", name, rows)
		}
	}
}
