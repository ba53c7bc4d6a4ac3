package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
)

// TestDoctor examines a simulated venue with and without problems.
func TestDoctor(t *testing.T) {
	v := startSim(t, simOptions{Seed: 3, Quiet: true})[venues.Binance]
	empty := t.TempDir()
	config := writeFile(t, fmt.Sprintf("data: %s\nvenues: {binance: {environment: sim, restUrl: %q, wsUrl: %q}}", empty, v.RESTURL, v.WSURL))
	good := writeCredentials(t, v.APIKey, v.APISecret)

	expect := func(name string, status int, want []string, args ...string) {
		t.Helper()
		got, out, errText := run(t.Context(), append([]string{"doctor", "--config", config}, args...)...)
		if got != status {
			t.Errorf("%s: status %d, want %d:\n%s%s", name, got, status, out, errText)
		}
		for _, text := range want {
			if !strings.Contains(out+errText, text) {
				t.Errorf("%s: output\n%s%s\nwant %q in it", name, out, errText, text)
			}
		}
		if strings.Contains(out+errText, v.APISecret) {
			t.Errorf("%s: output\n%s%s\nwant no secret in it", name, out, errText)
		}
	}
	expect("venue alone", exitOK, []string{"binance responds", "the clocks agree", "no account was checked"})
	expect("sound account", exitOK, []string{"the venue accepts the key", "one-way", "margin_mode", "cross", "may trade"}, "--credentials", good)
	wrong := writeCredentials(t, v.APIKey, "wrong")
	expect("wrong secret", exitFailed, []string{"failed", "the venue rejects the key", "-> check that key and secret"}, "--credentials", wrong, "-o", "table")
	for _, format := range []string{formatJSON, formatJSONL} {
		_, out, _ := run(t.Context(), "doctor", "--config", config, "--credentials", wrong, "-o", format)
		if format == formatJSONL {
			out = "[" + strings.Join(strings.Split(strings.TrimSpace(out), "\n"), ",") + "]"
		}
		var found []finding
		if err := json.Unmarshal([]byte(out), &found); err != nil {
			t.Fatalf("%s: %v:\n%s", format, err, out)
		}
		last := found[len(found)-1]
		if last.Subject != "binance" || last.Check != "key" || last.Status != "failed" || last.Advice == "" || !strings.Contains(last.Text, "-") {
			t.Errorf("%s: last result = %+v, want the failed check of the key of binance with an advice and the venue's code", format, last)
		}
	}
	expect("unreadable credentials", exitFailed, []string{"one JSON object"}, "--credentials", writeFile(t, "key=secret"))
	expect("unknown venue", exitFailed, []string{"okx is not configured"}, "--exchange", "okx", "--credentials", good)

	post(t, v.ControlURL+"/clock", `{"offsetMs":5000}`)
	expect("skewed clock", exitOK, []string{"warning", "off the venue's", "NTP"})
	post(t, v.ControlURL+"/clock", `{"offsetMs":0}`)
	post(t, v.ControlURL+"/accounts/demo", `{"positionMode":"hedge"}`)
	expect("hedging account", exitOK, []string{"warning", "hedge mode", "one-way mode"}, "--credentials", good)
}

func TestDoctorUnreachableVenue(t *testing.T) {
	config := writeFile(t, "data: "+t.TempDir()+"\nvenues: {binance: {environment: sim, restUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1'}}")
	status, out, errText := run(t.Context(), "doctor", "--config", config)
	if status != exitFailed || !strings.Contains(out, "no response from binance") || !strings.Contains(errText, "1 of the checks failed") {
		t.Errorf("status = %d, want %d and one failed check:\n%s%s", status, exitFailed, out, errText)
	}
}

// TestDoctorAcceptsALoss checks that a damaged store can be used again with one command, and
// that its accounts are halted then.
func TestDoctorAcceptsALoss(t *testing.T) {
	data := damagedData(t)
	for _, want := range []string{"venuegate accounts resume cus_1:binance", "No damage of the store is known"} {
		if status, out, errText := run(t.Context(), "doctor", "--accept-loss", "--data", data); status != exitOK || !strings.Contains(out, want) {
			t.Errorf("status = %d, want %d and %q:\n%s%s", status, exitOK, want, out, errText)
		}
	}
	checkHolds(t, data)
	if status, _, errText := run(t.Context(), "doctor", "--accept-loss", "--data", t.TempDir()); status != exitFailed || !strings.Contains(errText, "no store") {
		t.Errorf("status without a store = %d, error %q; want %d and that there is none", status, errText, exitFailed)
	}
}

// TestInterruptedAcceptLossHaltsLater interrupts the command once the store is usable: the
// service does not start before another call has halted the accounts.
func TestInterruptedAcceptLossHaltsLater(t *testing.T) {
	data := damagedData(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupt := writerFunc(func(p []byte) (int, error) {
		if strings.Contains(string(p), "The store is usable") {
			cancel()
		}
		return len(p), nil
	})
	var errText lockedBuffer
	if status := execute(ctx, []string{"doctor", "--accept-loss", "--data", data}, shell{Out: interrupt, Err: &errText}); status != exitFailed || ctx.Err() == nil {
		t.Fatalf("status of the interrupted command = %d, %v; want %d after the loss was accepted:\n%s", status, ctx.Err(), exitFailed, errText.String())
	}
	p := start(t, "serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	if status := p.exit(); status != exitFailed || !strings.Contains(p.out.String(), "doctor --accept-loss") {
		t.Errorf("serve: status %d, output %s; want %d and the remedy", status, p.out.String(), exitFailed)
	}
	for _, want := range []string{"venuegate accounts resume cus_1:binance", "No damage of the store is known"} {
		if status, out, errText := run(t.Context(), "doctor", "--accept-loss", "--data", data); status != exitOK || !strings.Contains(out, want) {
			t.Errorf("status of the next command = %d, want %d and %q:\n%s%s", status, exitOK, want, out, errText)
		}
	}
	checkHolds(t, data)
}

// TestAcceptLossOfADamagedFileNeedsABackup checks that the command names the remedy for a store
// that cannot be opened, and changes nothing.
func TestAcceptLossOfADamagedFileNeedsABackup(t *testing.T) {
	data := damagedData(t)
	manifest := filepath.Join(data, storeName, "db", "MANIFEST")
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	status, out, errText := run(t.Context(), "doctor", "--accept-loss", "--data", data)
	if status != exitFailed || !strings.Contains(errText, "restore a backup") {
		t.Errorf("status = %d, want %d and the remedy:\n%s%s", status, exitFailed, out, errText)
	}
	if _, err := os.Stat(manifest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(manifest) = %v, want that there is none", err)
	}
}

// damagedData returns a data directory with an account in a store that has lost its seal.
func damagedData(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	store := openStore(t, data)
	log := journal.NewClient(store)
	fence, err := log.Own(t.Context(), "cus_1")
	if err != nil {
		t.Fatal(err)
	}
	account := persistence.VenueAccount{Customer: "cus_1", Exchange: venues.Binance}
	err = log.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: []persistence.Record{persistence.Customer{ID: "cus_1"}, account}})
	if err := errors.Join(err, store.Close(), os.Remove(filepath.Join(data, storeName, "seal"))); err != nil {
		t.Fatal(err)
	}
	return data
}

func openStore(t *testing.T, data string) *badgerstore.Store {
	t.Helper()
	store, err := badgerstore.Open(filepath.Join(data, storeName), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// checkHolds checks that the store of damagedData is intact and its account on hold.
func checkHolds(t *testing.T, data string) {
	t.Helper()
	store := openStore(t, data)
	defer func() { _ = store.Close() }()
	accounts, err := store.VenueAccounts(t.Context(), "cus_1")
	if err != nil || len(accounts) != 1 || !accounts[0].Hold || store.Integrity() != nil {
		t.Errorf("accounts %+v, %v, Integrity = %v; want one on hold, nil, nil", accounts, err, store.Integrity())
	}
}

func writeCredentials(t *testing.T, key, secret string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(name, fmt.Appendf(nil, `{"apiKey":%q,"apiSecret":%q}`, key, secret), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// post sends JSON and expects success.
func post(t testing.TB, url, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	status, text := do(t, request)
	if status >= http.StatusBadRequest {
		t.Fatalf("POST %s %s: response = %d %s, want success", url, body, status, text)
	}
	return text
}
