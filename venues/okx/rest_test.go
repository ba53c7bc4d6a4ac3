package okx

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/restclient"
)

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.now = func() time.Time { return time.Now().Add(90 * time.Second) }
		offset, err := s.connector.SyncClock(background)
		if err != nil || offset < 89*time.Second || offset > 91*time.Second {
			t.Fatalf("offset = %s, err = %v, want 90 s", offset, err)
		}
		s.On("GET /api/v5/account/balance", 200, answerOf(`{"details":[]}`))
		if _, err := s.account.Balances(background); err != nil {
			t.Fatal(err)
		}
		stamp, err := time.Parse(timestampFormat, s.Sent("GET /api/v5/account/balance")[0].Header.Get("OK-ACCESS-TIMESTAMP"))
		if off := time.Until(stamp); err != nil || off < 85*time.Second || off > 95*time.Second {
			t.Errorf("timestamp %s ahead, error %v, want none", off, err)
		}
		for _, bad := range []string{nothing, answerOf(`{"ts":""}`), answerOf(`{"ts":"soon"}`), `<html>`} {
			s.Replace("GET /api/v5/public/time", 200, bad)
			if _, err := s.connector.SyncClock(background); err == nil {
				t.Errorf("%s: no error, want one", bad)
			}
		}
	})
}

// A rejected timestamp means that nothing was executed: the clock is measured again and the
// order signed once more, under its old deadline.
func TestRejectedTimestampIsSignedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, rejection := range []connectortest.Answer{
			{Status: 401, Body: `{"code":"50102","msg":"Timestamp request expired.","data":[]}`},
			{Status: 200, Body: rejectedItem("50036", "expTime")},
		} {
			s := newScript(t)
			s.Add(placeName, rejection)
			s.On(placeName, 200, placedOrder)
			if _, err := s.connector.SyncClock(background); err != nil {
				t.Fatal(err)
			}
			s.now = func() time.Time { return time.Now().Add(40 * time.Second) }
			order := limitOrder()
			if _, err := s.account.Place(background, order); err != nil {
				t.Fatal(err)
			}
			sent := s.Sent(placeName)
			if len(sent) != 2 || sent[0].Payload != sent[1].Payload {
				t.Fatalf("sent = %+v, want the same order twice", sent)
			}
			first, _ := strconv.ParseInt(sent[0].Header.Get("expTime"), 10, 64)
			second, _ := strconv.ParseInt(sent[1].Header.Get("expTime"), 10, 64)
			if moved := second - first; moved < 39_000 || moved > 41_000 {
				t.Errorf("the deadline moved by %d ms of the venue's clock, want the offset", moved)
			}
		}
	})
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.On(placeName, 200, placedOrder)
		order := limitOrder()
		if _, err := s.account.Place(background, order); err != nil {
			t.Fatal(err)
		}
		expTime, err := strconv.ParseInt(s.Sent(placeName)[0].Header.Get("expTime"), 10, 64)
		if off := time.UnixMilli(expTime).Sub(order.Deadline); err != nil || off < -time.Second || off > time.Second {
			t.Errorf("expTime is off by %s, error %v, want 0", off, err)
		}
		order.Deadline = time.Now().Add(-time.Millisecond)
		if _, err := s.account.Place(background, order); !errors.Is(err, venues.ErrNotSent) || !errors.Is(err, restclient.ErrDeadlinePassed) {
			t.Error(err)
		}
		if n := len(s.Sent(placeName)); n != 1 {
			t.Errorf("%d requests sent, want 1", n)
		}
		if header := s.Sent("GET /api/v5/account/config")[0].Header; header.Get("expTime") != "" || header.Get("x-simulated-trading") != "" {
			t.Errorf("header = %v, want neither expTime nor x-simulated-trading", header)
		}
	})
}

func TestDemoHeader(t *testing.T) {
	s := newScript(t)
	s.connector.options.Simulated = true
	if _, err := s.connector.Instruments(background); err != nil {
		t.Fatal(err)
	}
	if s.Sent("GET /api/v5/public/instruments")[0].Header.Get("x-simulated-trading") != "1" {
		t.Error("the header for demo trading is missing")
	}
}

func TestMissingAnswerLeavesTheOutcomeUnknown(t *testing.T) {
	s := newScript(t)
	s.Add(placeName, connectortest.Answer{Hang: true})
	err := s.CancelWhenReceived(placeName, func(ctx context.Context) error {
		_, err := s.account.Place(ctx, limitOrder())
		return err
	})
	if !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Error(err)
	}
}

func TestInstruments(t *testing.T) {
	s := newScript(t)
	list, err := s.connector.Instruments(background)
	if err != nil || len(list) != 2 || list[0].Symbol != "BTCUSDT" || list[1].QtyStep.String() != "0.001" {
		t.Fatalf("list = %+v, err = %v, want 2 instruments: BTCUSDT and one with quantity step 0.001", list, err)
	}
	sent := s.Sent("GET /api/v5/public/instruments")
	if len(sent) != 2 || sent[0].Payload != "instType=SWAP" || sent[1].Payload != "instType=FUTURES" {
		t.Errorf("sent = %+v, want SWAP, then FUTURES", sent)
	}
	// A region that lists no futures still has its swaps.
	s.Replace("GET /api/v5/public/instruments", 200, swaps)
	s.On("GET /api/v5/public/instruments", 400, `{"code":"51000","msg":"Parameter instType error","data":[]}`)
	if list, err := s.connector.Instruments(background); err != nil || len(list) != 2 {
		t.Errorf("%d instruments, error %v, want 2", len(list), err)
	}
	for _, bad := range []connectortest.Answer{{Status: 200, Body: nothing}, {Status: 500, Body: `<html>`}, {Status: 200, Body: answerOf(`7`)}} {
		s.Replace("GET /api/v5/public/instruments", bad.Status, bad.Body)
		if _, err := s.connector.Instruments(background); err == nil {
			t.Errorf("%s: no error, want one", bad.Body)
		}
	}
}

func TestCandles(t *testing.T) {
	s := newScript(t)
	row := func(minute int, closed string) string {
		return fmt.Sprintf(`["%d","1","4","0.5","2","700","7","14","%s"]`, 1757076000000+int64(minute)*60000, closed)
	}
	page := func(newest, count int) string {
		rows := make([]string, count)
		for n := range rows {
			rows[n] = row(newest-n, "1")
		}
		return answerOf(rows...)
	}
	const name = "GET " + candlesPath
	const history = "GET " + historyCandlesPath
	s.On(name, 200, page(1000, 300))
	s.On(history, 200, page(700, 50))
	candles, err := s.connector.Candles(background, venues.CandlesQuery{Symbol: "BTCUSDT", Timeframe: "1m", Limit: 400})
	if err != nil || len(candles) != 350 {
		t.Fatalf("%d candles, error %v, want 350", len(candles), err)
	}
	first, last := candles[0], candles[349]
	if first.Start.UnixMilli() != 1757076000000+651*60000 || last.Start.UnixMilli() != 1757076000000+1000*60000 {
		t.Errorf("candles from %s to %s, want other bounds", first.Start, last.Start)
	}
	if last.Volume.String() != "7" || last.Turnover.String() != "14" || !last.Closed || last.End.Sub(last.Start) != time.Minute || last.High.String() != "4" {
		t.Errorf("last = %+v, want a closed minute with high 4, volume 7 and turnover 14", last)
	}
	recent, old := s.Sent(name)[0].Payload, s.Sent(history)[0].Payload
	if recent != "instId=BTC-USDT-SWAP&bar=1m&limit=300" || old != fmt.Sprintf("instId=BTC-USDT-SWAP&bar=1m&after=%d&limit=100", 1757076000000+701*60000) {
		t.Errorf("queries %s and %s, want pages of 300 and 100, the second after the first", recent, old)
	}
	for _, bad := range []string{
		answerOf(`["1757076060000","1"]`), answerOf(`["x","1","1","1","1","1","1","1","1"]`), answerOf(`["1757076060000","1","1","1","","1","1","1","1"]`),
		answerOf(row(1, "1"), row(1, "1")), answerOf(`{}`),
	} {
		s.Replace(name, 200, bad)
		if c, err := s.connector.Candles(background, venues.CandlesQuery{Symbol: "BTCUSDT", Timeframe: "1m", Limit: 400}); err == nil {
			t.Errorf("%s: c = %+v, want an error", bad, c)
		}
	}
	if _, err := s.connector.Candles(background, venues.CandlesQuery{Symbol: "BTCUSDT", Timeframe: "7m", Limit: 1}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Error(err)
	}
	for tf := range venues.Timeframes() {
		if bars[tf] == "" {
			t.Errorf("%s has no bar, want one", tf)
		}
	}
}

func TestRecordedCandles(t *testing.T) {
	rows := dataOf[candleRow](t, fixture(t, "rest_candles_real_roq.json"))
	for n, row := range rows {
		c, err := row.candle("BTCUSDT", "1m")
		if err != nil || c.Closed != (n > 0) || c.High.LessThan(c.Low) {
			t.Errorf("c = %+v, err = %v, want a valid range, and only the newest not closed", c, err)
		}
	}
}

func TestSnapshot(t *testing.T) {
	s := newScript(t)
	const name = "GET /api/v5/market/books"
	s.On(name, 200, answerOf(`{"asks":[["63921.5","790.41","0","42"]],"bids":[],"ts":"1786541241006","seqId":9}`))
	u, err := s.connector.Snapshot(background, "BTC-USDT-SWAP")
	if err != nil || u.LastSeq != 9 || u.Symbol != "BTCUSDT" || u.Asks[0].Qty != 79041 {
		t.Fatalf("u = %+v, err = %v, want the BTCUSDT book with seqId 9 and 79041 on the ask", u, err)
	}
	for _, bad := range []string{nothing, answerOf(`{"asks":[["1"]],"seqId":9}`), answerOf(`{"seqId":"x"}`)} {
		s.Replace(name, 200, bad)
		if _, err := s.connector.Snapshot(background, "BTCUSDT"); err == nil {
			t.Errorf("%s: no error, want one", bad)
		}
	}
	if _, err := s.connector.Snapshot(background, "NOPEUSDT"); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
		t.Error(err)
	}
}

func TestCapabilities(t *testing.T) {
	c := New(Sim("http://x", "ws://x")).Capabilities()
	if !c.AttachedProtection || !c.AmendStops || !c.AsyncAck || !c.StreamSnapshots || c.ClientIDUniqueForever || c.UnfilledRetention != 2*time.Hour || c.AbsenceAfter == 0 {
		t.Errorf("capabilities %+v, want those of the venue", c)
	}
}

func TestUnknownSymbolIsNotSent(t *testing.T) {
	s := newScript(t)
	order := limitOrder()
	order.Symbol = "NOPEUSDT"
	_, err := s.account.Place(background, order)
	if venues.CodeOf(err) != venues.CodeSymbolNotTradable || !errors.Is(err, venues.ErrNotSent) {
		t.Error(err)
	}
	if strings.Contains(err.Error(), "posSide") || len(s.Sent(placeName)) > 0 {
		t.Error(err)
	}
}
