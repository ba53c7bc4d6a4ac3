package root_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// counts are the private streams that were opened, their connects, and the reports
// received.
type counts struct{ opened, connected, reports atomic.Int32 }

// countedConnector counts the events of its accounts' private streams.
type countedConnector struct {
	venues.Connector
	counts *counts
}

func (c countedConnector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	account, err := c.Connector.OpenAccount(credentials)
	return countedAccount{account, c.counts}, err
}

type countedAccount struct {
	venues.Account
	counts *counts
}

func (a countedAccount) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	a.counts.opened.Add(1)
	return a.Account.OpenPrivate(countedSink{sink, a.counts})
}

type countedSink struct {
	venues.PrivateSink
	counts *counts
}

func (s countedSink) Connected() {
	s.PrivateSink.Connected()
	s.counts.connected.Add(1)
}

func (s countedSink) Report(r venues.ExecutionReport) {
	s.PrivateSink.Report(r)
	s.counts.reports.Add(1)
}

// A private connection stays open and delivers nothing: the missing reports are found by
// REST, and at the second miss the connection is closed and opened again.
func TestStalledPrivateStreamIsReopened(t *testing.T) {
	streams := map[venues.Venue]string{venues.Binance: "/private", venues.OKX: "/ws/v5/private"}
	run := func(t *testing.T, venue venues.Venue, stream string) {
		t.Parallel()
		var seen counts
		s := simulatedVenue(t, venue)
		d := openOver(t, venue, countedConnector{s.connector, &seen}, s)
		d.until("a connection", func() bool { return seen.connected.Load() == 1 })
		if _, err := s.control.AddFault(simcore.FaultRequest{Do: simcore.FaultStalled, Match: simcore.FaultMatch{Path: stream}}); err != nil {
			t.Fatal(err)
		}
		var next time.Time
		orders := 0
		d.until("a miss", func() bool {
			missed := len(d.reopened()) > 0
			if !missed && time.Now().After(next) { // the first ones may be as old as the connection
				next = time.Now().Add(time.Second)
				orders++
				d.rests(fmt.Sprint("r", orders))
			}
			return missed
		})
		// The orders that were placed meanwhile may be the second miss by now.
		if opened, reports := seen.opened.Load(), seen.reports.Load(); len(d.reopened()) == 1 && (opened != 1 || reports != 0) {
			t.Fatal("the stream was opened again after one miss, want two")
		}
		d.rests("untold")
		s.control.ClearFaults()
		d.until("a second miss", func() bool { return len(d.reopened()) >= 2 })
		if got := d.reopened()[:2]; !slices.Equal(got, []string{"false", "true"}) {
			t.Fatalf("reopened = %v, want false, true", got)
		}
		d.until("a new connection", func() bool { return seen.opened.Load() >= 2 && seen.connected.Load() >= 2 })
		d.rests("last")
		d.until("a report", func() bool { return seen.reports.Load() > 0 })
	}
	for venue, stream := range streams {
		t.Run(string(venue), func(t *testing.T) { run(t, venue, stream) })
	}
}

// rests places an order and waits until it is open.
func (d *harness) rests(requestID string) {
	d.t.Helper()
	d.becomes(venues.StatusOpen, requestID, spec(venues.Buy, venues.TypeLimit, "0.01", "60000"))
}

// reopened returns for each row stream.mute, oldest first, whether the stream was opened
// again.
func (d *harness) reopened() []string {
	d.t.Helper()
	page, err := d.store.Journal(d.t.Context(), persistence.JournalQuery{Customer: "c1", Limit: 500})
	if err != nil {
		d.t.Fatal(err)
	}
	var list []string
	for _, row := range page.Items {
		if row.Kind != "stream.mute" {
			continue
		}
		for _, f := range row.Fields {
			if f.Name == "renewed" {
				list = append(list, f.Value)
			}
		}
	}
	slices.Reverse(list)
	return list
}
