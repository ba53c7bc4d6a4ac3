package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// TestOrderLifeOverKill goes through the life of orders over sockets, with the venue
// in another process: place, partial fill, amend, cancel, fills, kill -9, restart,
// the same orders.
func TestOrderLifeOverKill(t *testing.T) {
	simFile, sims := startSimProcess(t)
	control := sims[venues.Binance].ControlURL
	dir := t.TempDir()
	s := startService(t, dir, "--sim", simFile)
	private := s.subscribe("orders", "positions")

	price := betweenBestPrices(t, s)
	placed := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(
		`{"exchange":"binance","symbol":"BTC-USDT-SWAP","side":"buy","type":"limit","qty":"1","price":%q,"requestId":"walk-1","comment":"a walk"}`, price))
	id := placed.text("orderId")
	if placed.text("status") != "open" || placed.text("symbol") != "BTCUSDT" || placed.text("price") != price.String() {
		t.Fatalf("placed order = %v, want an open one of BTCUSDT at %s", placed, price)
	}
	again := s.trade(http.StatusConflict, http.MethodPost, "/v1/orders", fmt.Sprintf(
		`{"exchange":"binance","symbol":"BTC-USDT-SWAP","side":"buy","type":"limit","qty":"1","price":%q,"requestId":"walk-1","comment":"a walk"}`, price))
	if again.text("error", "details", "orderId") != id {
		t.Errorf("repeat = %v, want the order %s", again, id)
	}

	post(t, control+"/market/trade", `{"symbol":"BTCUSDT","side":"sell","qty":"0.4"}`)
	partly := s.order(id, "partially_filled")
	if partly.text("filledQty") != "0.4" || partly.text("avgPrice") != price.String() {
		t.Errorf("partially filled order = %v, want 0.4 at %s", partly, price)
	}
	private.until("the partial fill", func(m record) bool {
		data, _ := m["data"].(map[string]any)
		return m.text("channel") == "orders" && record(data).text("filledQty") == "0.4"
	})
	private.until("the position", func(m record) bool {
		data, _ := m["data"].(map[string]any)
		return m.text("channel") == "positions" && record(data).text("qty") == "0.4"
	})

	amended := s.trade(http.StatusOK, http.MethodPatch, "/v1/orders/"+id, `{"qty":"0.7"}`)
	id = amended.text("orderId")
	if amended.text("qty") != "0.7" || amended.text("filledQty") != "0.4" {
		t.Errorf("amended order = %v, want qty 0.7 and filledQty 0.4", amended)
	}
	if cancelled := s.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+id, ""); cancelled.text("orderId") != id {
		t.Errorf("cancelled order = %v, want %s", cancelled, id)
	}
	s.order(id, "cancelled")
	s.trade(http.StatusNotFound, http.MethodDelete, "/v1/orders/"+id, "")

	resting := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(
		`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.2","price":%q}`, price.Sub(decimal.NewFromInt(1000))))
	fills := s.trade(http.StatusOK, http.MethodGet, "/v1/fills?symbol=BTCUSDT", "").items()
	if len(fills) != 1 || fills[0].text("qty") != "0.4" || fills[0].text("liquidity") != "maker" {
		t.Errorf("fills = %v, want one maker fill of 0.4", fills)
	}
	s.call(s.demo.ReadKey, http.StatusForbidden, http.MethodDelete, "/v1/orders/"+resting.text("orderId"), "")

	before := append(describeOrders(s), describeFills(s)...)
	s.kill()
	next := startService(t, dir, "--sim", simFile)
	if next.demo.APIKey != s.demo.APIKey || next.demo.ReadKey != s.demo.ReadKey {
		t.Errorf("keys of the second start = %s, %s, want those of the first", next.demo.APIKey, next.demo.ReadKey)
	}
	if after := append(describeOrders(next), describeFills(next)...); !slices.Equal(after, before) {
		t.Errorf("orders and fills after the kill\n%s\nwant\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	next.trade(http.StatusConflict, http.MethodPost, "/v1/orders", fmt.Sprintf(
		`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":%q,"requestId":"walk-1"}`, price))
	next.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+resting.text("orderId"), "")
	if status, ledger := get(t, control+"/ledger"); status != http.StatusOK || strings.Count(ledger, `"kind":"order"`) != 2 {
		t.Errorf("ledger of the venue: status %d, %s, want exactly the two orders", status, ledger)
	}
	next.signal(syscall.SIGTERM)
	if status := next.exit(); status != exitOK {
		t.Errorf("status after SIGTERM = %d, want %d", status, exitOK)
	}
}

// betweenBestPrices returns a price above the best bid that does not cross the book.
func betweenBestPrices(t *testing.T, s *service) decimal.Decimal {
	t.Helper()
	m := s.subscribe("book:binance:BTCUSDT:1").until("the book", func(m record) bool { return m.text("type") == "snapshot" })
	best := func(side string) decimal.Decimal {
		data, _ := m["data"].(map[string]any)
		levels, _ := data[side].([]any)
		level, _ := levels[0].([]any)
		text, _ := level[0].(string)
		price, err := venues.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		return price
	}
	tick := decimal.New(1, -1)
	price := best("bids").Add(tick)
	if !price.LessThan(best("asks")) {
		t.Fatalf("best bid and ask = %s, %s, want a price between them", best("bids"), best("asks"))
	}
	return price
}

// describeOrders and describeFills list all records with the fields that must survive
// a restart.
func describeOrders(s *service) []string {
	s.t.Helper()
	return describe(s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all", ""),
		"orderId", "requestId", "status", "qty", "filledQty", "price", "avgPrice", "fee", "venueOrderId", "comment", "createdAt")
}

func describeFills(s *service) []string {
	s.t.Helper()
	return describe(s.trade(http.StatusOK, http.MethodGet, "/v1/fills", ""),
		"fillId", "orderId", "qty", "price", "fee", "venueTradeId", "executedAt")
}

func describe(list record, members ...string) []string {
	lines := make([]string, len(list.items()))
	for i, item := range list.items() {
		for _, member := range members {
			lines[i] += member + "=" + item.text(member) + " "
		}
	}
	return lines
}

// TestDemo runs the demo with its own venues, checks its description, and that a second
// start keeps keys and orders.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir)
	info, err := os.Stat(filepath.Join(dir, demoName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, error %v, want 0600", info.Mode(), err)
	}
	for _, text := range []string{s.demo.BaseURL, s.demo.APIKey, "curl ", " watch --data " + dir} {
		if !strings.Contains(s.out.String(), text) {
			t.Errorf("output\n%s\nwant %q in it", s.out.String(), text)
		}
	}
	order := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`)
	s.order(order.text("orderId"), "filled")
	for channel, messages := range map[string]int{"book:binance:BTCUSDT:10": 3, "account": 1} {
		status, out, errText := run(t.Context(), "watch", "--data", dir, "--count", fmt.Sprint(messages), channel)
		if status != exitOK || strings.Count(out, "\n") != messages || strings.Count(out, fmt.Sprintf(`"channel":%q`, channel)) != messages {
			t.Errorf("watch: status = %d, want %d with %d messages of %s:\n%s%s", status, exitOK, messages, channel, out, errText)
		}
	}
	connected := fmt.Sprintf("%d accounts connected", len(venues.All()))
	if status, out, errText := run(t.Context(), "doctor", "--demo", "--data", dir); status != exitOK || !strings.Contains(out, connected) {
		t.Errorf("doctor: status = %d, want %d with %q:\n%s%s", status, exitOK, connected, out, errText)
	}
	checkMetrics(t, s)
	s.signal(syscall.SIGINT)
	if status := s.exit(); status != exitOK {
		t.Errorf("status after SIGINT = %d, want %d", status, exitOK)
	}

	next := startService(t, dir)
	if next.demo.APIKey != s.demo.APIKey {
		t.Errorf("key of the second start = %s, want %s", next.demo.APIKey, s.demo.APIKey)
	}
	found := next.trade(http.StatusOK, http.MethodGet, "/v1/orders/"+order.text("orderId"), "")
	if found.text("status") != "filled" {
		t.Errorf("order after a new start = %v, want status filled", found)
	}
}

// TestStopWhileInUse checks that SIGTERM closes streams with the documented code and
// ends the process with status 0 in time.
func TestStopWhileInUse(t *testing.T) {
	s := startService(t, t.TempDir())
	k := s.subscribe("book:binance:BTCUSDT:50", "orders")
	k.until("a book", func(m record) bool { return m.text("type") == "snapshot" })
	s.signal(syscall.SIGTERM)
	if code := k.closeCode(); code != 4012 {
		t.Errorf("close code %d, want 4012", code)
	}
	if status := s.exit(); status != exitOK {
		t.Errorf("status = %d, want %d", status, exitOK)
	}
	if _, err := net.DialTimeout("tcp", strings.TrimPrefix(s.demo.BaseURL, "http://"), time.Second); err == nil {
		t.Error("dial after the stop: no error, want one")
	}
}

// TestSecondSignalEndsImmediately checks that a second signal skips the drain.
func TestSecondSignalEndsImmediately(t *testing.T) {
	s := startService(t, t.TempDir())
	// Half a request keeps the drain busy; the complete one before it shows that the
	// connection is served.
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.demo.BaseURL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	whole, half := "GET /v1/time HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /v1/time HTTP/1.1\r\nHost: localhost\r\n"
	if _, err := conn.Write([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(half)); err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGTERM)
	eventually(t, "the first signal to be handled", func() bool { return strings.Contains(s.out.String(), "stopping") })
	eventually(t, "the end", func() bool {
		_ = s.command.Process.Signal(syscall.SIGTERM) // it may have ended
		return !s.running()
	})
	if status := s.exit(); status != -1 {
		t.Errorf("status = %d, want -1: the process has drained", status)
	}
}

func TestOneProcessPerDataDir(t *testing.T) {
	s := sharedService(t)
	second := start(t, "serve", "--demo", "--data", s.dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	if status := second.exit(); status != exitFailed || !strings.Contains(second.out.String(), "in use by another process") {
		t.Errorf("status of the second process = %d, want %d: %s", status, exitFailed, second.out.String())
	}
	if _, err := readDemoFile(s.dir); err != nil {
		t.Errorf("description of the first process: error %v, want none", err)
	}
}

// TestAdministrationFromTheCommandLine creates a customer, a key and an account with
// the commands, uses them, and removes them.
func TestAdministrationFromTheCommandLine(t *testing.T) {
	s := startService(t, t.TempDir())
	command := func(status int, args ...string) string {
		t.Helper()
		got, out, errText := run(t.Context(), append(args, "--data", s.dir)...)
		if got != status {
			t.Fatalf("venuegate %s: status %d, want %d: %s%s", strings.Join(args, " "), got, status, out, errText)
		}
		return out + errText
	}
	customer := strings.TrimSpace(command(exitOK, "customers", "create", "Desk", "-q"))
	made := command(exitOK, "keys", "create", "--customer", customer, "--name", "desk", "--scopes", "read,trade,account", "--expires", "1h", "-o", "table")
	key := word(t, made, "vgk_")
	id := strings.Split(key, "_")[1]
	if again := command(exitOK, "keys", "list"); strings.Contains(again, key) || !strings.Contains(again, id) {
		t.Errorf("list of keys\n%s\nwant %s without its text", again, id)
	}
	s.call(key, http.StatusNotFound, http.MethodGet, "/v1/positions?exchange=binance", "")

	account := post(t, s.demo.Sim[venues.Binance].ControlURL+"/accounts", `{}`)
	credentials := writeFile(t, fmt.Sprintf(`{"apiKey":%q,"apiSecret":%q}`, member(t, account, "apiKey"), member(t, account, "apiSecret")))
	command(exitOK, "accounts", "connect", "--customer", customer, "--exchange", "binance", "--credentials", credentials)
	if listed := command(exitOK, "accounts", "list", "--customer", customer); !strings.Contains(listed, customer+":binance") {
		t.Errorf("list of accounts\n%s\nwant %s:binance in it", listed, customer)
	}
	if found := command(exitOK, "accounts", "check", customer+":binance"); !strings.Contains(found, "the venue accepts the key") {
		t.Errorf("check\n%s\nwant an accepted key", found)
	}
	eventually(t, "the account", func() bool {
		return len(s.call(key, http.StatusOK, http.MethodGet, "/v1/account", "").items()) == 1
	})
	command(exitFailed, "accounts", "connect", "--customer", customer, "--exchange", "binance", "--credentials", writeFile(t, `{"apiKey":"k","apiSecret":"s"}`))

	command(exitOK, "accounts", "remove", customer+":binance")
	s.call(key, http.StatusNotFound, http.MethodGet, "/v1/positions?exchange=binance", "")
	if changed := command(exitOK, "keys", "change", id, "--scopes", "read", "--allow", "192.0.2.7"); !strings.Contains(changed, "192.0.2.7/32") {
		t.Errorf("changed key\n%s\nwant 192.0.2.7/32 in it", changed)
	}
	s.call(key, http.StatusUnauthorized, http.MethodGet, "/v1/orders", "") // from another address
	command(exitOK, "keys", "change", id, "--allow", "")
	s.call(key, http.StatusOK, http.MethodGet, "/v1/orders", "")
	s.call(key, http.StatusForbidden, http.MethodGet, "/v1/account", "")
	command(exitOK, "keys", "revoke", id)
	s.call(key, http.StatusUnauthorized, http.MethodGet, "/v1/orders", "")
	command(exitOK, "customers", "disable", customer)
	command(exitFailed, "keys", "revoke", "nonesuch")
}

// TestBackupAndRestore checks that a backup of a running service restores keys,
// orders, credentials and files.
func TestBackupAndRestore(t *testing.T) {
	simFile, _ := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", simFile)
	order := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`)
	s.order(order.text("orderId"), "filled")
	trades := s.tradesInAFile()
	file := filepath.Join(t.TempDir(), "backup")
	command := func(status int, args ...string) string {
		t.Helper()
		got, out, errText := run(t.Context(), args...)
		if got != status {
			t.Fatalf("venuegate %s: status %d, want %d: %s%s", strings.Join(args, " "), got, status, out, errText)
		}
		return out + errText
	}
	sheets := t.TempDir()
	command(exitOK, "endpoints", "download", trades, "--to", sheets, "--data", s.dir)
	fingerprint := "fingerprint " + fingerprintOf(t, s.dir+".key")
	const restingBody = `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"50000","requestId":"resting"}`
	resting := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", restingBody).text("orderId")
	before, customer := describeOrders(s), s.customer()
	if out := command(exitOK, "backup", file, "--data", s.dir); !strings.Contains(out, fingerprint) {
		t.Errorf("backup: output %s, want %s in it", out, fingerprint)
	}
	const lateBody = `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01","requestId":"after-backup"}`
	s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", lateBody)
	s.signal(syscall.SIGTERM)
	s.exit()
	command(exitOK, "backup", file+"-offline", "--data", s.dir)
	command(exitFailed, "restore", file, "--data", s.dir)
	command(exitFailed, "backup", file, "--data", filepath.Join(s.dir, "absent"))

	dir := filepath.Join(t.TempDir(), "restored")
	out := command(exitOK, "restore", file, "--data", dir)
	wanted := []string{"the " + fingerprint + ", must be at " + dir + ".key"}
	for _, exchange := range []string{"binance", "bybit", "okx"} {
		wanted = append(wanted, "venuegate accounts resume "+customer+":"+exchange)
	}
	for _, want := range wanted {
		if !strings.Contains(out, want) {
			t.Errorf("restore: output %s, want %s in it", out, want)
		}
	}
	other := "fingerprint " + fingerprintOf(t, dir+".key") // makes another key
	rejected := start(t, "serve", "--demo", "--data", dir, "--sim", simFile, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	if status := rejected.exit(); status != exitFailed || !strings.Contains(rejected.out.String(), fingerprint) || !strings.Contains(rejected.out.String(), other) {
		t.Errorf("start with another key: status %d, output %s, want %d with %s and %s", status, rejected.out.String(), exitFailed, fingerprint, other)
	}
	for from, to := range map[string]string{s.dir + ".key": dir + ".key", filepath.Join(s.dir, demoName): filepath.Join(dir, demoName)} {
		content, err := os.ReadFile(from)
		if err == nil {
			err = writeSecretFile(to, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	restored := startService(t, dir, "--sim", simFile)
	if restored.demo.APIKey != s.demo.APIKey {
		t.Errorf("key of the restored service = %s, want %s", restored.demo.APIKey, s.demo.APIKey)
	}
	// A repeat of what was accepted after the backup places no second order.
	rejection := restored.trade(http.StatusUnprocessableEntity, http.MethodPost, "/v1/orders", lateBody)
	if code := rejection.text("error", "code"); code != string(venues.CodeTradingLocked) {
		t.Errorf("repeat of an order from after the backup: code %s, want %s", code, venues.CodeTradingLocked)
	}
	restored.order(resting, "open")
	command(exitOK, "accounts", "resume", customer+":binance", "--data", dir)
	restored.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"51000","requestId":"resumed"}`)
	restored.order(resting, "open")
	after := describeOrders(restored)
	for _, want := range before {
		if !slices.Contains(after, want) {
			t.Errorf("restored orders\n%s\nwant also\n%s", strings.Join(after, "\n"), want)
		}
	}
	again := t.TempDir()
	command(exitOK, "endpoints", "download", trades, "--to", again, "--data", dir)
	want, errWant := os.ReadFile(filepath.Join(sheets, "trades.xlsx"))
	got, errGot := os.ReadFile(filepath.Join(again, "trades.xlsx"))
	if err := errors.Join(errWant, errGot); err != nil || !bytes.Equal(got, want) || !bytes.HasPrefix(got, []byte("PK")) {
		t.Errorf("%d bytes of the file were restored, %d were backed up, %v", len(got), len(want), err)
	}
}

// tradesInAFile creates an endpoint of kind file and waits until it has written a
// trade.
func (s *service) tradesInAFile() (endpoint string) {
	s.t.Helper()
	endpoint = s.administer(http.StatusCreated, http.MethodPost, "endpoints", fmt.Sprintf(`{"customer":%q,"kind":"file","target":"trades.xlsx"}`, s.customer())).text("id")
	if status, text, _ := run(s.t.Context(), "endpoints", "download", endpoint, "--data", s.dir); status != exitOK || !strings.Contains(text, "no file yet") {
		s.t.Errorf("download before the first trade: status = %d, want %d and no file: %s", status, exitOK, text)
	}
	closing := s.trade(http.StatusCreated, http.MethodPost, "/v1/positions/close", `{"exchange":"binance","symbol":"BTCUSDT"}`)
	s.order(closing.text("orderId"), "filled")
	eventually(s.t, "the trade's row", func() bool {
		rows := s.administer(http.StatusOK, http.MethodGet, "endpoints/"+endpoint+"/deliveries?status=delivered", "").items()
		return len(rows) == 1
	})
	return endpoint
}

// word returns the first word with a prefix.
func word(t *testing.T, text, prefix string) string {
	t.Helper()
	for _, w := range strings.Fields(text) {
		if strings.HasPrefix(w, prefix) {
			return w
		}
	}
	t.Fatalf("text = %s, want a word that begins with %s", text, prefix)
	return ""
}

// member returns a string member of a JSON object.
func member(t testing.TB, text, name string) string {
	t.Helper()
	var r record
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r.text(name)
}
