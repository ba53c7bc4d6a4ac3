package bybit

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func executionRow(id string, at time.Time, changes ...string) string {
	const row = `{"symbol":"BTCUSDT","orderId":"order","orderLinkId":"vg01","side":"Buy","orderPrice":"61000","orderQty":"2","leavesQty":"1","orderType":"Market",` +
		`"stopOrderType":"UNKNOWN","execFee":"-0.5","execId":"ID","execPrice":"60000","execQty":"1","execType":"Trade","execTime":"AT","isMaker":true,` +
		`"feeCurrency":"","extraFees":"","createType":"CreateByUser"}`
	return strings.NewReplacer(append(changes, `"ID"`, `"`+id+`"`, `"AT"`, `"`+formatMillis(at)+`"`)...).Replace(row)
}

// A month of executions: windows of a week, newest first in each, without funding, every
// execution once.
func TestFillsWindows(t *testing.T) {
	s := newScript(t)
	from := time.UnixMilli(1700000000000).UTC()
	to := from.Add(16 * 24 * time.Hour)
	second := from.Add(executionsWindow)
	s.ok(readExecutions, listOf(executionRow("b", from.Add(time.Hour)), executionRow("a", from), executionRow("early", from.Add(-time.Millisecond))))
	s.ok(readExecutions, listOf(executionRow("f", second, `"Trade"`, `"Funding"`), executionRow("b", from.Add(time.Hour)), executionRow("c", second, "BTCUSDT", "BTCPERP")))
	s.ok(readExecutions, nothing)
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: to})
	if err != nil || len(fills) != 3 {
		t.Fatalf("fills = %+v, err = %v, want 3 fills", fills, err)
	}
	for n, want := range []string{"a USDT", "b USDT", "c USDC"} {
		f := fills[n]
		if f.VenueTradeID+" "+f.FeeCurrency != want || f.Liquidity != venues.Maker || !f.Fee.Decimal.Equal(dec("-0.5").Decimal) || f.VenueOrderID != "order" {
			t.Errorf("fill %d: %+v, want %s of the maker with the fee -0.5", n, f, want)
		}
	}
	asked := s.Sent(readExecutions)
	if len(asked) != 3 {
		t.Fatalf("%d requests, want 3", len(asked))
	}
	for n, r := range asked {
		start, _ := strconv.ParseInt(r.Query.Get("startTime"), 10, 64)
		end, _ := strconv.ParseInt(r.Query.Get("endTime"), 10, 64)
		if start != from.Add(time.Duration(n)*executionsWindow).UnixMilli() || end-start >= executionsWindow.Milliseconds() || end >= to.UnixMilli() {
			t.Errorf("window %d: from %d to %d, want windows of 7 days that end before %d", n, start, end, to.UnixMilli())
		}
	}
}

func TestMalformedFills(t *testing.T) {
	from := time.UnixMilli(1700000000000)
	for _, change := range [][]string{
		{`"side":"Buy"`, `"side":"Hold"`},
		{`"execQty":"1"`, `"execQty":""`},
		{`"execPrice":"60000"`, `"execPrice":"0"`},
		{`"execPrice":"60000"`, `"execPrice":"6e4"`},
		{`"orderId":"order"`, `"orderId":""`},
		{`"execId":"ID"`, `"execId":""`},
		{`"extraFees":""`, `"extraFees":{}`},
		{`"execFee":"-0.5"`, `"execFee":"NaN"`},
	} {
		s := newScript(t)
		s.ok(readExecutions, listOf(executionRow("a", from, change...)))
		if fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: from.Add(time.Hour)}); err == nil {
			t.Errorf("change = %v, fills = %+v, want an error", change, fills)
		}
	}
}

// The venue rejects a delisted symbol with a code that has many meanings, and a message
// in any language: the list of instruments decides.
func TestReadsOfADelistedInstrument(t *testing.T) {
	s := newScript(t)
	ref := venues.OrderRef{Symbol: "OLDUSDT", ClientOrderID: "vg00000001"}
	read := func() (fills, order error) {
		_, fills = s.account.Fills(background, venues.FillsQuery{Symbol: "OLDUSDT", From: time.Now().Add(-time.Hour), To: time.Now()})
		_, order = s.account.Order(background, ref)
		return fills, order
	}
	s.reject(readExecutions, codeParameter, "parâmetro inválido")
	s.reject(readRealtime, codeParameter, "parâmetro inválido")
	if fills, order := read(); venues.IsUnlisted(fills) || venues.IsUnlisted(order) {
		t.Errorf("before the list was read: errors %v and %v, want none that IsUnlisted", fills, order)
	}
	s.connector.instruments.Store(venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT"}}))
	if fills, order := read(); !venues.IsUnlisted(fills) || !venues.IsUnlisted(order) {
		t.Errorf("fills = %v, order = %v, want IsUnlisted(fills) and IsUnlisted(order)", fills, order)
	}
	ref.Symbol = "BTCUSDT"
	if _, order := read(); venues.IsUnlisted(order) {
		t.Errorf("listed instrument: error %v, want none that IsUnlisted", order)
	}
}

// A settlement changes the position without an order.
func TestSettlementIsAFill(t *testing.T) {
	s := newScript(t)
	from := time.UnixMilli(1700000000000)
	s.ok(readExecutions, listOf(executionRow("a", from, `"orderId":"order"`, `"orderId":""`, `"execType":"Trade"`, `"execType":"Delivery"`)))
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: from.Add(time.Hour)})
	if err != nil || len(fills) != 1 || fills[0].VenueOrderID != "" {
		t.Errorf("fills = %+v, err = %v, want one fill without an order id", fills, err)
	}
}

func TestFeesWithTaxes(t *testing.T) {
	row := executionRecord{ExecFee: payload.Number{Optional: dec("1")}, FeeCurrency: "USDT", ExtraFees: extraFees{{FeeCoin: "USDT", Fee: payload.Number{Optional: dec("0.18")}}, {FeeCoin: "XYZ", Fee: payload.Number{Optional: dec("5")}}}}
	if fee, currency := row.fee(); currency != "USDT" || !fee.Decimal.Equal(dec("1.18").Decimal) {
		t.Errorf("fee %s %s, want 1.18 USDT", fee.Decimal, currency)
	}
	if fee, currency := (&executionRecord{Symbol: "BTCUSDT"}).fee(); fee.Valid || currency != "" {
		t.Errorf("fee %v, currency %q, want neither", fee, currency)
	}
}
