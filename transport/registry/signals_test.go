package registry_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// put commits a batch of alice's records; the sequence numbers are those given.
func (in *installation) put(t *testing.T, b persistence.Batch) {
	t.Helper()
	fence, err := in.service.Fence(t.Context(), in.alice)
	if err == nil {
		b.Fence = fence
		err = in.store.Commit(t.Context(), b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func row(seq uint64, at venues.Time, kind, subject string) persistence.JournalEntry {
	return persistence.JournalEntry{ID: fmt.Sprintf("jrn_%03d", seq), Seq: seq, At: at, Kind: kind, Subject: subject}
}

func event(seq uint64, at venues.Time, kind persistence.EventType, data string) persistence.Event {
	return persistence.Event{ID: fmt.Sprintf("evt_%03d", seq), Seq: seq, Type: kind, CreatedAt: at, Data: json.RawMessage(data)}
}

// The history of a signal has its own rows, orders, fills, events and deliveries, and none of others.
func TestHistoryOfASignal(t *testing.T) {
	in := newInstallation(t)
	start := venues.At(time.UnixMilli(1_900_000_000_000))
	later := func(milliseconds int) venues.Time {
		return venues.At(start.Add(time.Duration(milliseconds) * time.Millisecond))
	}
	signal := storetest.NewSignal(in.alice, 7)
	signal.ChannelID, signal.Exchange, signal.ReceivedAt = in.hook, venues.Binance, start
	signal.Status, signal.OrderIDs = persistence.SignalDone, []string{"ord_entry"}
	entry, leg, other := storetest.NewOrder(in.alice, 1), storetest.NewOrder(in.alice, 2), storetest.NewOrder(in.alice, 3)
	entry.OrderID, entry.Status, entry.Exchange = "ord_entry", venues.StatusFilled, venues.Binance
	entry.Protection = &venues.Protection{StopLoss: &venues.ProtectionLeg{Status: venues.ProtectionLive, Price: venues.MustDecimal("1"), OrderID: "ord_leg"}}
	leg.OrderID, leg.EntryOrderID, leg.Protects = "ord_leg", "ord_entry", venues.LegStopLoss
	other.OrderID = "ord_other"
	fill, otherFill := storetest.NewFill(in.alice, 1), storetest.NewFill(in.alice, 2)
	fill.OrderID, fill.ExecutedAt, otherFill.OrderID = "ord_entry", later(19), "ord_other"
	filled := event(104, later(20), persistence.EventOrderFilled, `{"orderId":"ord_entry"}`)
	closed := event(130, later(60), persistence.EventPositionClosed, `{"exchange":"binance","symbol":"BTCUSDT","side":"short"}`)
	delivered := row(120, later(40), "delivery.delivered", filled.ID)
	delivered.Channel = in.endpoint
	in.put(t, persistence.Batch{
		Puts: []persistence.Record{signal, entry, leg, other, fill, otherFill},
		Events: []persistence.Event{
			filled, event(105, later(18), persistence.EventPositionClosed, `{"exchange":"binance","symbol":"BTCUSDT","side":"short"}`), event(106, later(20), persistence.EventOrderFilled, `{"orderId":"ord_other"}`),
			event(107, later(30), persistence.EventPositionClosed, `{"exchange":"binance","symbol":"BTCUSDT","side":"long"}`),
			event(108, later(30), persistence.EventPositionClosed, `{"exchange":"okx","symbol":"BTCUSDT","side":"short"}`),
			closed, event(131, later(60_020), persistence.EventPositionClosed, `{"exchange":"binance","symbol":"BTCUSDT","side":"short"}`),
		},
		Journal: []persistence.JournalEntry{
			row(101, start, "signal.received", signal.ID), row(102, start, "signal.rule", signal.ID), row(103, start, "signal.received", "sig_other"),
			row(110, later(20), "order.status", "ord_entry"), row(111, later(25), "order.attached", "ord_leg"), row(112, later(25), "order.status", "ord_other"),
			row(113, later(26), "signal.answer", signal.ID), delivered, row(121, later(50), "admin.hook", in.hook),
		},
	})
	h := made(in.For(in.alice, registry.Author{}).Signals.Get(t.Context(), signal.ID))
	var kinds, orders, events []string
	for _, r := range h.Rows {
		kinds = append(kinds, r.Kind+" "+r.Subject)
	}
	for _, o := range h.Orders {
		orders = append(orders, o.ID)
	}
	for _, e := range h.Events {
		events = append(events, e.ID)
	}
	wantKinds := []string{
		"signal.received " + signal.ID, "signal.rule " + signal.ID, "order.status ord_entry", "order.attached ord_leg",
		"signal.answer " + signal.ID, "delivery.delivered " + filled.ID,
	}
	if !slices.Equal(kinds, wantKinds) {
		t.Errorf("rows = %q, want %q", kinds, wantKinds)
	}
	if want := []string{"ord_entry", "ord_leg"}; !slices.Equal(orders, want) {
		t.Errorf("orders = %q, want %q", orders, want)
	}
	if want := []string{filled.ID, closed.ID}; !slices.Equal(events, want) {
		t.Errorf("events = %q, want %q", events, want)
	}
	if len(h.Fills) != 1 || h.Fills[0].OrderID != "ord_entry" || h.Orders[0].StopLoss.OrderID != "ord_leg" {
		t.Errorf("fills = %+v, orders = %+v, want the fill and the leg of the entry", h.Fills, h.Orders)
	}
	if len(h.Changes) != 1 || h.Changes[0].Kind != "admin.hook" || !h.Complete {
		t.Errorf("changes = %+v, complete %v, want the change after the signal, and all", h.Changes, h.Complete)
	}
}

// A notification has its own event, and not that of another with the same text.
func TestHistoryOfANotification(t *testing.T) {
	in := newInstallation(t)
	start := venues.At(time.UnixMilli(1_900_000_000_000))
	signal := storetest.NewSignal(in.alice, 7)
	signal.ChannelID, signal.Action, signal.Comment, signal.ReceivedAt = in.hook, venues.ActionNotify, "hello", start
	signal.Status = persistence.SignalDone
	data := fmt.Sprintf(`{"channelId":%q,"comment":"hello"}`, in.hook)
	own := event(200, start, persistence.EventNotification, data)
	in.put(t, persistence.Batch{
		Puts: []persistence.Record{signal}, Events: []persistence.Event{own, event(203, venues.At(start.Add(time.Second)), persistence.EventNotification, data)},
		Journal: []persistence.JournalEntry{row(201, start, "signal.received", signal.ID), row(202, start, "signal.answer", signal.ID)},
	})
	h := made(in.For(in.alice, registry.Author{}).Signals.Get(t.Context(), signal.ID))
	if len(h.Events) != 1 || h.Events[0].ID != own.ID {
		t.Errorf("events = %+v, want %s alone", h.Events, own.ID)
	}
}

func TestListOfSignals(t *testing.T) {
	in := newInstallation(t)
	var puts []persistence.Record
	for n := 10; n < 15; n++ {
		s := storetest.NewSignal(in.alice, n)
		s.Status = persistence.SignalDone
		switch n {
		case 11:
			s.Status, s.Error = persistence.SignalRejected, &venues.RejectReason{Code: venues.CodeRiskRejected, Reason: "max_qty"}
		case 12:
			s.Symbol, s.Comment = "ETHUSDT", "Breakout up"
		case 13:
			s.ChannelID = "hook_other"
		}
		puts = append(puts, s)
	}
	in.put(t, persistence.Batch{Puts: puts})
	view := in.For(in.alice, registry.Author{})
	for name, tt := range map[string]struct {
		filter registry.SignalFilter
		want   string
	}{
		"all":     {registry.SignalFilter{}, "14 13 12 11 10 01"},
		"status":  {registry.SignalFilter{Status: persistence.SignalRejected}, "11"},
		"rule":    {registry.SignalFilter{Reason: "max_qty"}, "11"},
		"code":    {registry.SignalFilter{Reason: "risk_rejected"}, "11"},
		"symbol":  {registry.SignalFilter{Symbol: "ethusdt"}, "12"},
		"text":    {registry.SignalFilter{Text: "breakout"}, "12"},
		"request": {registry.SignalFilter{Text: "REQUEST-14"}, "14"},
		"channel": {registry.SignalFilter{Channel: "hook_other"}, "13"},
		"none":    {registry.SignalFilter{Text: "absent"}, ""},
		"period":  {registry.SignalFilter{From: puts[1].(persistence.SignalRecord).ReceivedAt.Time, To: puts[3].(persistence.SignalRecord).ReceivedAt.Time}, "12 11"},
	} {
		for _, limit := range []int{1, 2, 100} {
			var got []string
			f := tt.filter
			f.Limit = limit
			for {
				page := made(view.Signals.List(t.Context(), f))
				for _, s := range page.Items {
					got = append(got, s.ID[len(s.ID)-2:])
				}
				if len(page.Items) > limit {
					t.Errorf("%s: page of %d signals, want at most %d", name, len(page.Items), limit)
				}
				if page.NextCursor == nil {
					break
				}
				f.Cursor = *page.NextCursor
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s, limit %d: signals %q, want %s", name, limit, got, tt.want)
			}
		}
	}
	if _, err := in.Signals.List(t.Context(), registry.SignalFilter{}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("signals of all customers: error %v, want %s", err, venues.CodeInvalidRequest)
	}
}
