package bybit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// privateStream returns a private feed without a connection.
func privateStream(t testing.TB) (*privateFeed, *connectortest.Recorder) {
	t.Helper()
	c := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1"))
	h := &connectortest.Recorder{}
	return newAccount(c, venues.Credentials{APIKey: scriptKey, APISecret: scriptSecret}).newPrivateFeed(h), h
}

// play passes messages to the feed and then lets the waits end.
func (f *privateFeed) play(t testing.TB, messages ...[]byte) {
	t.Helper()
	now := time.Now()
	for _, m := range messages {
		if err := f.handle(m, now); err != nil {
			t.Errorf("m = %.300s, err = %v, want no error", m, err)
		}
	}
	f.Tick(now.Add(time.Minute), true)
}

// statusesOf returns the statuses of every order, whose changes must be legal.
func statusesOf(t testing.TB, reports []venues.ExecutionReport) map[string][]venues.OrderStatus {
	t.Helper()
	statuses := map[string][]venues.OrderStatus{}
	for _, r := range reports {
		status := venues.StatusPending
		if life := statuses[r.VenueOrderID]; len(life) > 0 {
			status = life[len(life)-1]
		}
		if !status.CanBecome(r.Status) {
			t.Errorf("%s changed from %s to %s, want a legal change", r.VenueOrderID, status, r.Status)
		}
		statuses[r.VenueOrderID] = append(statuses[r.VenueOrderID], r.Status)
	}
	return statuses
}

// One order that fills immediately: execution, order, position, wallet.
func TestRecordedFOKFill(t *testing.T) {
	f, h := privateStream(t)
	var messages [][]byte
	for _, r := range recordings(t, "ws_private_seq_fok_fill_SOLUSDT.jsonl") {
		if !strings.HasPrefix(r.Name, "ack") {
			messages = append(messages, r.Msg)
		}
	}
	f.play(t, messages...)
	f.play(t, messages...) // the venue may send everything twice
	statuses := statusesOf(t, h.Reports)
	if len(statuses) != 1 || len(h.Positions) != 2 || h.Balances != 2 || len(h.Reports) != 2 {
		t.Fatalf("statuses %v, %d positions, %d balance changes, want one status, 2 positions and 2 changes", statuses, len(h.Positions), h.Balances)
	}
	r := h.Reports[0]
	if r.Status != venues.StatusFilled || r.Fill == nil || r.ClientOrderID != "1759432560816495533" || !r.FilledQty.Equal(dec("0.2").Decimal) ||
		!r.Fill.Price.Equal(dec("233.02").Decimal) || r.Fill.FeeCurrency != "USDT" || r.TimeInForce != venues.FillOrKill {
		t.Errorf("report %+v with fill %+v, want a FOK order filled with 0.2 at 233.02", r, r.Fill)
	}
	if !r.Fill.Fee.Decimal.Equal(dec("0.030245996").Decimal) { // the fee and the tax on it
		t.Errorf("fee %s, want 0.030245996", r.Fill.Fee.Decimal)
	}
	if p := h.Positions[0]; p.Symbol != "SOLUSDT" || p.Side != venues.Long || !p.Qty.Equal(dec("0.2").Decimal) || !p.LiquidationPrice.Valid || p.StopLoss.Valid {
		t.Errorf("position %+v, want a long of 0.2 SOLUSDT with a liquidation price and no stop loss", p)
	}
}

func TestRecordedPrivateOrders(t *testing.T) {
	want := [][]string{
		{"XRPUSDT limit open"},
		{"SOLUSDT limit filled"},
		{"BTCUSDC market filled"},
		{"ESPORTSUSDT limit filled"},
		{"SOLUSDT limit cancelled"},
		{"BTCUSDT stop_market untriggered"},
		{"BTCUSDT stop_market filled"},
		{"BTCUSDT stop_market cancelled", "BTCUSDT market filled"},
		{"BTCUSDT limit open"},
		{"BTCUSDT limit open"},
		nil,
	}
	for n, r := range recordings(t, "ws_private_order.jsonl") {
		f, h := privateStream(t)
		f.play(t, r.Msg)
		var got []string
		for _, report := range h.Reports {
			got = append(got, report.Symbol+" "+string(report.Type)+" "+string(report.Status))
			if (report.RejectReason != nil) != (report.Status == venues.StatusCancelled && report.Type.IsStop()) {
				t.Errorf("%s: reject reason %+v, want one for cancelled stops only", r.Name, report.RejectReason)
			}
		}
		if !slices.Equal(got, want[n]) {
			t.Errorf("%s: %v, want %v", r.Name, got, want[n])
		}
		statusesOf(t, h.Reports)
	}
}

func TestRecordedPrivateExecutions(t *testing.T) {
	for _, file := range []string{"ws_private_execution.jsonl", "ws_private_execution_fast.jsonl"} {
		for _, r := range recordings(t, file) {
			f, h := privateStream(t)
			if strings.Contains(file, "fast") { // not subscribed: no fee, no kind
				if f.handle(r.Msg, time.Now()) == nil {
					t.Errorf("%s: no error, want one", r.Name)
				}
				continue
			}
			f.play(t, r.Msg)
			for _, report := range h.Reports {
				if report.Fill == nil || !report.Fill.Fee.Valid || report.Fill.FeeCurrency == "" || report.Status != venues.StatusPartiallyFilled ||
					report.FilledQty.LessThan(report.Fill.Qty) || report.Qty.LessThan(report.FilledQty) {
					t.Errorf("%s: report %+v with fill %+v, want a partial fill with a fee", r.Name, report, report.Fill)
				}
			}
			var push struct{ Data []executionRecord }
			if err := json.Unmarshal(r.Msg, &push); err != nil || len(push.Data) == 0 {
				t.Fatal(err)
			}
			if len(h.Reports) == 0 && push.Data[0].Category == category && push.Data[0].isFill() {
				t.Errorf("%s: no reports, want one", r.Name)
			}
		}
	}
}

func TestRecordedPrivatePositions(t *testing.T) {
	want := []struct{ open, over []string }{ // closed if both sides were open
		{[]string{"SOLUSDT/long 0.2"}, []string{"SOLUSDT/short 0"}},
		{[]string{"BTCUSDC/long 0.001"}, []string{"BTCUSDC/short 0"}},
		{[]string{"XRPUSDT/long 4"}, []string{"XRPUSDT/short 0"}},
		{[]string{"BTCUSDT/long 0.02"}, []string{"BTCUSDT/short 0"}},
		{[]string{"BTCUSDT/long 0.002"}, []string{"BTCUSDT/short 0"}},
		{nil, []string{"BTCUSDT/long 0", "BTCUSDT/short 0"}},
		{[]string{"ETHUSDT/short 0.01"}, []string{"ETHUSDT/long 0"}},
	}
	for n, r := range recordings(t, "ws_private_position.jsonl") {
		f, h := privateStream(t)
		positionsNow := func() (open, over []string) {
			before := len(h.Positions)
			f.play(t, r.Msg)
			for _, p := range h.Positions[before:] {
				if line := p.Key() + " " + p.Qty.String(); p.Qty.IsPositive() {
					open = append(open, line)
				} else {
					over = append(over, line)
				}
			}
			return open, over
		}
		for range 2 { // the venue repeats positions with every order
			if open, over := positionsNow(); !slices.Equal(open, want[n].open) || over != nil {
				t.Errorf("%s: open %v, closed %v, want %v and none", r.Name, open, over, want[n].open)
			}
		}
		symbol, _, _ := strings.Cut(append(want[n].open, want[n].over...)[0], "/")
		for _, side := range []venues.PositionSide{venues.Long, venues.Short} {
			f.account.positions.Update(venues.Position{Symbol: symbol, Side: side, Qty: venues.MustDecimal("1")}, false)
		}
		if open, over := positionsNow(); !slices.Equal(open, want[n].open) || !slices.Equal(over, want[n].over) {
			t.Errorf("%s: open %v, closed %v after both were open, want slices.Equal(open, want[n].open) and slices.Equal(over, want[n].over)", r.Name, open, over)
		}
	}
	for _, r := range recordings(t, "ws_private_wallet.jsonl") {
		f, h := privateStream(t)
		if f.play(t, r.Msg); h.Balances != 1 {
			t.Errorf("%s: %d balance changes, want 1", r.Name, h.Balances)
		}
	}
}

// Answers to control messages are not events, on either kind of stream.
func TestRecordedControlMessages(t *testing.T) {
	for _, r := range recordings(t, "ws_control.jsonl") {
		f, h := privateStream(t)
		f.play(t, r.Msg)
		s, p := publicStream(t, nil)
		s.Message(r.Msg)
		if len(h.Reports)+len(h.Losses)+h.Connections+len(p.Interruptions)+len(p.Resumptions) != 0 {
			t.Errorf("%s: recorded %+v and %+v, want nothing", r.Name, h, p)
		}
	}
}

// The samples of the documentation that are used here can be decoded.
func TestDocumentationSamples(t *testing.T) {
	read := map[string]func(r recording) error{
		"docs/v5/order/open-order.mdx":        func(r recording) error { return reportsOf(t, r) },
		"docs/v5/order/order-list.mdx":        func(r recording) error { return reportsOf(t, r) },
		"docs/v5/websocket/private/order.mdx": func(r recording) error { return streamed(t, r) },
		"docs/v5/websocket/private/execution.mdx": func(r recording) error {
			return streamed(t, r)
		},
		"docs/v5/websocket/private/position.mdx": func(r recording) error { return streamed(t, r) },
		"docs/v5/websocket/private/wallet.mdx":   func(r recording) error { return streamed(t, r) },
		"docs/v5/order/execution.mdx": func(r recording) error {
			for _, row := range rowsOf[executionRecord](t, r) {
				if _, err := row.fill(false); err != nil {
					return err
				}
			}
			return nil
		},
		"docs/v5/account/wallet-balance.mdx": func(r recording) error {
			_, err := rowsOf[walletRecord](t, r)[0].balances(accountMode{margin: crossMargin})
			return err
		},
	}
	count := 0
	for _, r := range recordings(t, "doc_samples.jsonl") {
		if !json.Valid(r.Msg) {
			t.Errorf("%s: invalid JSON, want json.Valid(r.Msg)", r.Page)
		}
		if try := read[r.Page]; try != nil {
			count++
			if err := try(r); err != nil {
				t.Errorf("r.Page = %s, err = %v, want no error", r.Page, err)
			}
		}
	}
	if count < 8 {
		t.Errorf("%d samples, want at least 8", count)
	}
}

func reportsOf(t *testing.T, r recording) error {
	t.Helper()
	for _, row := range rowsOf[orderRecord](t, r) {
		if _, err := row.report(); err != nil {
			return err
		}
	}
	return nil
}

func streamed(t *testing.T, r recording) error {
	t.Helper()
	f, _ := privateStream(t)
	return f.handle(r.Msg, time.Now())
}
