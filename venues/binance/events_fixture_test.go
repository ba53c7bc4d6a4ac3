package binance

import (
	"encoding/json"
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

// privateStream returns a private feed without a connection.
func privateStream(t testing.TB) (*privateFeed, *connectortest.Recorder) {
	t.Helper()
	account, err := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")).OpenAccount(venues.Credentials{APIKey: "k", APISecret: "s"})
	if err != nil {
		t.Fatal(err)
	}
	h := &connectortest.Recorder{}
	return account.(*Account).newPrivateFeed(h), h
}

// play passes an event to the feed, which must decode it.
func (f *privateFeed) play(t testing.TB, event []byte) {
	t.Helper()
	if err := f.handle(event); err != nil {
		t.Errorf("event = %s, err = %v, want no error", event, err)
	}
}

// statusesOf returns the statuses in the reports of one order.
func statusesOf(reports []venues.ExecutionReport, clientOrderID string) []venues.OrderStatus {
	var statuses []venues.OrderStatus
	for _, r := range reports {
		if r.ClientOrderID == clientOrderID {
			statuses = append(statuses, r.Status)
		}
	}
	return statuses
}

type recordedEvent struct {
	Scenario string          `json:"scenario"`
	Source   string          `json:"source"`
	Event    json.RawMessage `json:"event"`
}

// Recorded sequences of order events are legal, with growing fills.
func TestRecordedScenarios(t *testing.T) {
	scenarios := map[string]*connectortest.Recorder{}
	feeds := map[string]*privateFeed{}
	for _, e := range fixturetest.Objects[recordedEvent](t, venues.Binance, "ws_user_events_scenarios_2026.real.jsonl") {
		if feeds[e.Scenario] == nil {
			feeds[e.Scenario], scenarios[e.Scenario] = privateStream(t)
		}
		if err := feeds[e.Scenario].handle(e.Event); err != nil {
			t.Errorf("%s: error %v for %s, want none", e.Scenario, err, e.Event)
		}
	}
	for name, h := range scenarios {
		last := map[string]venues.ExecutionReport{}
		for _, r := range h.Reports {
			before, seen := last[r.ClientOrderID]
			if seen && !before.Status.CanBecome(r.Status) {
				t.Errorf("%s: order %s changed from %s to %s, want a legal change", name, r.ClientOrderID, before.Status, r.Status)
			}
			if seen && r.FilledQty.LessThan(before.FilledQty) {
				t.Errorf("%s: filled quantity of order %s is %s, want at least %s", name, r.ClientOrderID, r.FilledQty, before.FilledQty)
			}
			if seen && before.Type != r.Type {
				t.Errorf("%s: type of order %s changed from %s to %s", name, r.ClientOrderID, before.Type, r.Type)
			}
			last[r.ClientOrderID] = r
		}
	}
	for _, want := range []struct {
		scenario, order string
		life            []venues.OrderStatus
	}{
		{"LimitSubmittedCancelled", "IUr9FxyKX4OEVPViHRlfyI", []venues.OrderStatus{"open", "cancelled"}},
		{"MarketSubmittedFilled", "nOVzgnvTSGAbIWUtqT8yBT", []venues.OrderStatus{"open", "filled"}},
		{"StopLimitSubmittedFilled", "nKgZz1THtAn74I7cPHQ0Kj", []venues.OrderStatus{"untriggered", "open", "filled", "filled"}},
		{"StopLimitSubmittedFilled", "1QVvPIED7rTEv10YxzU37V", []venues.OrderStatus{"rejected"}},
		{"StopMarketSubmittedCanceled", "LIw9d2o1etTkTwhR7lHGwa", []venues.OrderStatus{"untriggered", "cancelled"}},
	} {
		h := scenarios[want.scenario]
		if h == nil {
			t.Fatalf("scenario %s is missing", want.scenario)
		}
		if got := statusesOf(h.Reports, want.order); !slices.Equal(got, want.life) {
			t.Errorf("%s %s: %v, want %v", want.scenario, want.order, got, want.life)
		}
	}
}

func TestRecordedFill(t *testing.T) {
	for _, e := range fixturetest.Objects[recordedEvent](t, venues.Binance, "ws_user_events_scenarios_2026.real.jsonl") {
		if e.Scenario != "MarketSubmittedFilled" {
			continue
		}
		feed, h := privateStream(t)
		if err := feed.handle(e.Event); err != nil {
			t.Fatal(err)
		}
		if len(h.Reports) != 1 || h.Reports[0].Fill == nil {
			continue
		}
		r, f := h.Reports[0], h.Reports[0].Fill
		if f.Symbol != "ACHUSDT" || f.Side != venues.Buy || f.VenueTradeID != "258306880" || f.VenueOrderID != "4903991227" ||
			!f.Qty.Equal(dec("800").Decimal) || !f.Price.Equal(dec("0.006567").Decimal) ||
			!venues.EqualOptional(f.Fee, dec("0.0026268")) || f.FeeCurrency != "USDT" || f.Liquidity != venues.Taker ||
			f.ExecutedAt.UnixMilli() != 1772461802803 {
			t.Errorf("fill %+v, want the taker fill of the recording", *f)
		}
		if !venues.EqualOptional(r.AvgPrice, dec("0.006567")) || r.Price.Valid || r.Type != venues.TypeMarket {
			t.Errorf("report %+v, want a market order with average price 0.006567 and no price", r)
		}
		return
	}
	t.Error("the recording has no fill")
}

// The single events are from many years. Each must be decoded.
func TestRecordedEvents(t *testing.T) {
	feed, h := privateStream(t)
	for _, e := range fixturetest.Objects[recordedEvent](t, venues.Binance, "ws_user_events_misc.real.jsonl") {
		if err := feed.handle(e.Event); err != nil {
			t.Errorf("e.Source = %s, err = %v, want no error", e.Source, err)
		}
	}
	if h.Balances != 2 || len(h.Positions) != 1 || len(h.Losses) != 0 {
		t.Errorf("%d balance changes, positions %v, losses %v, want others", h.Balances, h.Positions, h.Losses)
	}
	p := h.Positions[0]
	if p.Symbol != "BTCUSDT" || p.Side != venues.Short || !p.Qty.Equal(dec("0.001").Decimal) || p.MarginMode != venues.MarginCross {
		t.Errorf("position %+v, want a cross short of 0.001 BTCUSDT", p)
	}
	for _, r := range h.Reports {
		switch r.ClientOrderID {
		case "10002": // an amend: the order stays open with new terms
			if r.Status != venues.StatusOpen || !venues.EqualOptional(r.Price, dec("0.5193")) || !r.Qty.Equal(dec("12").Decimal) {
				t.Errorf("amended order %+v, want it open with 12 at 0.5193", r)
			}
		case "bot-e0536484551311f1b0c42676a180379c": // hedge mode, closing a short
			if !r.ReduceOnly || r.Side != venues.Buy {
				t.Errorf("hedge order %+v, want a reduce-only buy", r)
			}
		}
	}
	if got := statusesOf(h.Reports, "O-20251211-053131-TEST-000-1"); !slices.Equal(got, []venues.OrderStatus{"filled"}) {
		t.Errorf("algo order: %v, want only its complete fill", got)
	}
}
