package binance

import (
	"encoding/json"
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

// privateStream is a private feed without a connection.
func privateStream(t testing.TB) (*privateFeed, *connectortest.Heard) {
	t.Helper()
	account, err := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")).OpenAccount(venues.Credentials{APIKey: "k", APISecret: "s"})
	if err != nil {
		t.Fatal(err)
	}
	h := &connectortest.Heard{}
	return account.(*Account).newPrivateFeed(h), h
}

// play passes an event to the feed, which must understand it.
func (f *privateFeed) play(t testing.TB, event []byte) {
	t.Helper()
	if err := f.handle(event); err != nil {
		t.Errorf("%s: %v", event, err)
	}
}

// life is what the reports of one order said, in order.
func life(reports []venues.ExecutionReport, clientOrderID string) []venues.OrderStatus {
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

// Recorded lives of orders are told in legal steps with growing fills.
func TestRecordedScenarios(t *testing.T) {
	scenarios := map[string]*connectortest.Heard{}
	feeds := map[string]*privateFeed{}
	for _, e := range fixturetest.Objects[recordedEvent](t, venues.Binance, "ws_user_events_scenarios_2026.real.jsonl") {
		if feeds[e.Scenario] == nil {
			feeds[e.Scenario], scenarios[e.Scenario] = privateStream(t)
		}
		if err := feeds[e.Scenario].handle(e.Event); err != nil {
			t.Errorf("%s: %v in %s", e.Scenario, err, e.Event)
		}
	}
	for name, h := range scenarios {
		last := map[string]venues.ExecutionReport{}
		for _, r := range h.Reports {
			before, seen := last[r.ClientOrderID]
			if seen && !before.Status.CanBecome(r.Status) {
				t.Errorf("%s: order %s went from %s to %s", name, r.ClientOrderID, before.Status, r.Status)
			}
			if seen && r.FilledQty.LessThan(before.FilledQty) {
				t.Errorf("%s: order %s lost fills", name, r.ClientOrderID)
			}
			if seen && before.Type != r.Type {
				t.Errorf("%s: order %s was %s and is %s", name, r.ClientOrderID, before.Type, r.Type)
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
		if got := life(h.Reports, want.order); !slices.Equal(got, want.life) {
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
			t.Errorf("fill %+v", *f)
		}
		if !venues.EqualOptional(r.AvgPrice, dec("0.006567")) || r.Price.Valid || r.Type != venues.TypeMarket {
			t.Errorf("report %+v", r)
		}
		return
	}
	t.Error("no event with a fill")
}

// The singles are of many years; each must be understood.
func TestRecordedEvents(t *testing.T) {
	feed, h := privateStream(t)
	for _, e := range fixturetest.Objects[recordedEvent](t, venues.Binance, "ws_user_events_misc.real.jsonl") {
		if err := feed.handle(e.Event); err != nil {
			t.Errorf("%s: %v", e.Source, err)
		}
	}
	if h.Balances != 2 || len(h.Positions) != 1 || len(h.Losses) != 0 {
		t.Errorf("%d balance changes, positions %v, losses %v", h.Balances, h.Positions, h.Losses)
	}
	p := h.Positions[0]
	if p.Symbol != "BTCUSDT" || p.Side != venues.Short || !p.Qty.Equal(dec("0.001").Decimal) || p.MarginMode != venues.MarginCross {
		t.Errorf("position %+v", p)
	}
	for _, r := range h.Reports {
		switch r.ClientOrderID {
		case "10002": // an amendment: the order stays open under its new terms
			if r.Status != venues.StatusOpen || !venues.EqualOptional(r.Price, dec("0.5193")) || !r.Qty.Equal(dec("12").Decimal) {
				t.Errorf("amendment %+v", r)
			}
		case "bot-e0536484551311f1b0c42676a180379c": // hedge mode, closing a short
			if !r.ReduceOnly || r.Side != venues.Buy {
				t.Errorf("hedge order %+v", r)
			}
		}
	}
	if got := life(h.Reports, "O-20251211-053131-TEST-000-1"); !slices.Equal(got, []venues.OrderStatus{"filled"}) {
		t.Errorf("algo order: %v, want only its complete fill to be told", got)
	}
}
