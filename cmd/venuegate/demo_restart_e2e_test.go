package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// describePositions lists the open positions with the fields that must survive a restart.
func describePositions(s *service) []string {
	s.t.Helper()
	return describe(s.trade(http.StatusOK, http.MethodGet, "/v1/positions", ""), "exchange", "symbol", "side", "qty", "entryPrice", "leverage")
}

// openAtVenue opens a position and an order that rests far below the price, and returns
// the order.
func openAtVenue(s *service, venue venues.Venue) (resting string) {
	s.t.Helper()
	entered := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(
		`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.05","requestId":"enter-%s"}`, venue, venue))
	filled := s.order(entered.text("orderId"), "filled")
	average, err := venues.ParseDecimal(filled.text("avgPrice"))
	if err != nil {
		s.t.Fatal(err)
	}
	price := average.Mul(decimal.New(97, -2)).Truncate(0)
	rests := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(
		`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.02","price":%q,"requestId":"rest-%s"}`, venue, price, venue))
	s.order(rests.text("orderId"), "open")
	return rests.text("orderId")
}

// TestDemoVenuesContinue checks that the venues of a demo continue after kill -9 and after
// a graceful stop: positions and orders are the same at the service and at the venues, an
// open order can be cancelled, and the venues have each order once.
func TestDemoVenuesContinue(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir)
	resting := map[venues.Venue]string{}
	for _, venue := range venues.All() {
		resting[venue] = openAtVenue(s, venue)
	}
	var positions []string
	eventually(t, "a position at each venue, with its leverage", func() bool {
		positions = describePositions(s)
		return len(positions) == len(venues.All()) && !strings.Contains(strings.Join(positions, ""), "leverage= ")
	})
	orders, fills := describeOrders(s), describeFills(s)
	check := func(next *service, what string) {
		t.Helper()
		eventually(t, "the positions "+what, func() bool { return slices.Equal(describePositions(next), positions) })
		if after := describeOrders(next); !slices.Equal(after, orders) {
			t.Errorf("orders %s\n%s\nwant\n%s", what, strings.Join(after, "\n"), strings.Join(orders, "\n"))
		}
		if after := describeFills(next); !slices.Equal(after, fills) {
			t.Errorf("fills %s\n%s\nwant\n%s", what, strings.Join(after, "\n"), strings.Join(fills, "\n"))
		}
		for venue, described := range next.demo.Sim {
			ids := map[string]int{}
			for _, row := range next.ledger(described.ControlURL) {
				ids[row.text("clientOrderId")]++
			}
			if len(ids) != 2 || slices.Max(slices.Collect(maps.Values(ids))) != 1 {
				t.Errorf("%s: orders of the venue %s = %v, want the two orders once", venue, what, ids)
			}
		}
	}
	s.kill()
	next := startService(t, dir)
	check(next, "after the kill")
	next.signal(syscall.SIGINT)
	if status := next.exit(); status != exitOK {
		t.Errorf("status after SIGINT = %d, want %d", status, exitOK)
	}
	last := startService(t, dir)
	check(last, "after the stop")
	for _, id := range resting {
		last.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+id, "")
		last.order(id, "cancelled")
	}
}

// TestUnusableVenueStateIsReported checks that a demo whose venue has a state that cannot
// be used names the file and starts that venue from scratch.
func TestUnusableVenueStateIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), simStateName)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "okx.state")
	if err := os.WriteFile(name, []byte("spoiled\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	startSim(t, simOptions{Seed: 1, Quiet: true, StateDir: dir})
	if content, err := os.ReadFile(name + ".unusable"); err != nil || string(content) != "spoiled\n" {
		t.Errorf("file that was moved = %q, error %v, want the spoiled one", content, err)
	}
	if content, err := os.ReadFile(name); err != nil || !strings.Contains(string(content), `"demo"`) {
		t.Errorf("new state = %q, error %v, want one with the account", content, err)
	}
}
