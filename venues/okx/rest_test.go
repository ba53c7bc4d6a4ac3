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
			t.Fatalf("%s %v", offset, err)
		}
		s.On("GET /api/v5/account/balance", 200, answerOf(`{"details":[]}`))
		if _, err := s.account.Balances(background); err != nil {
			t.Fatal(err)
		}
		stamp, err := time.Parse(timestampFormat, s.Sent("GET /api/v5/account/balance")[0].Header.Get("OK-ACCESS-TIMESTAMP"))
		if off := time.Until(stamp); err != nil || off < 85*time.Second || off > 95*time.Second {
			t.Errorf("stamped %s ahead, %v", off, err)
		}
		for _, bad := range []string{nothing, answerOf(`{"ts":""}`), answerOf(`{"ts":"soon"}`), `<html>`} {
			s.Only("GET /api/v5/public/time", 200, bad)
			if _, err := s.connector.SyncClock(background); err == nil {
				t.Errorf("%s: no error", bad)
			}
		}
	})
}

// A refused timestamp proves that nothing was done: the clock is measured again
// and the order signed once more, under its old deadline.
func TestClockRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, refusal := range []connectortest.Answer{
			{Status: 401, Body: `{"code":"50102","msg":"Timestamp request expired.","data":[]}`},
			{Status: 200, Body: refusedItem("50036", "expTime")},
		} {
			s := newScript(t)
			s.Add(placeName, refusal)
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
			if len(sent) != 2 || sent[0].Said != sent[1].Said {
				t.Fatalf("%+v", sent)
			}
			first, _ := strconv.ParseInt(sent[0].Header.Get("expTime"), 10, 64)
			second, _ := strconv.ParseInt(sent[1].Header.Get("expTime"), 10, 64)
			if moved := second - first; moved < 39_000 || moved > 41_000 {
				t.Errorf("the deadline moved by %d ms of the venue's clock", moved)
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
		told, err := strconv.ParseInt(s.Sent(placeName)[0].Header.Get("expTime"), 10, 64)
		if off := time.UnixMilli(told).Sub(order.Deadline); err != nil || off < -time.Second || off > time.Second {
			t.Errorf("expTime is off by %s, %v", off, err)
		}
		order.Deadline = time.Now().Add(-time.Millisecond)
		if _, err := s.account.Place(background, order); !errors.Is(err, venues.ErrNotSent) || !errors.Is(err, restclient.ErrDeadlinePassed) {
			t.Error(err)
		}
		if n := len(s.Sent(placeName)); n != 1 {
			t.Errorf("sent %d times", n)
		}
		if header := s.Sent("GET /api/v5/account/config")[0].Header; header.Get("expTime") != "" || header.Get("x-simulated-trading") != "" {
			t.Errorf("%v", header)
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
		t.Error("demo trading is not selected")
	}
}

func TestSilenceLeavesTheOutcomeUnknown(t *testing.T) {
	s := newScript(t)
	s.Add(placeName, connectortest.Answer{Hang: true})
	err := s.GiveUp(placeName, func(ctx context.Context) error {
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
		t.Fatalf("%+v %v", list, err)
	}
	asked := s.Sent("GET /api/v5/public/instruments")
	if len(asked) != 2 || asked[0].Said != "instType=SWAP" || asked[1].Said != "instType=FUTURES" {
		t.Errorf("%+v", asked)
	}
	// A region that lists no futures still has its swaps.
	s.Only("GET /api/v5/public/instruments", 200, swaps)
	s.On("GET /api/v5/public/instruments", 400, `{"code":"51000","msg":"Parameter instType error","data":[]}`)
	if list, err := s.connector.Instruments(background); err != nil || len(list) != 2 {
		t.Errorf("%d %v", len(list), err)
	}
	for _, bad := range []connectortest.Answer{{Status: 200, Body: nothing}, {Status: 500, Body: `<html>`}, {Status: 200, Body: answerOf(`7`)}} {
		s.Only("GET /api/v5/public/instruments", bad.Status, bad.Body)
		if _, err := s.connector.Instruments(background); err == nil {
			t.Errorf("%s: no error", bad.Body)
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
	const name = "GET /api/v5/market/candles"
	s.On(name, 200, page(1000, 300))
	s.On(name, 200, page(700, 50))
	candles, err := s.connector.Candles(background, "BTCUSDT", "1m", 400)
	if err != nil || len(candles) != 350 {
		t.Fatalf("%d %v", len(candles), err)
	}
	first, last := candles[0], candles[349]
	if first.Start.UnixMilli() != 1757076000000+651*60000 || last.Start.UnixMilli() != 1757076000000+1000*60000 {
		t.Errorf("from %s to %s", first.Start, last.Start)
	}
	if last.Volume.String() != "7" || last.Turnover.String() != "14" || !last.Closed || last.End.Sub(last.Start) != time.Minute || last.High.String() != "4" {
		t.Errorf("%+v", last)
	}
	asked := s.Sent(name)
	if asked[0].Said != "instId=BTC-USDT-SWAP&bar=1m&limit=300" || asked[1].Said != fmt.Sprintf("instId=BTC-USDT-SWAP&bar=1m&limit=100&after=%d", 1757076000000+701*60000) {
		t.Errorf("%s, %s", asked[0].Said, asked[1].Said)
	}
	for _, bad := range []string{
		answerOf(`["1757076060000","1"]`), answerOf(`["x","1","1","1","1","1","1","1","1"]`), answerOf(`["1757076060000","1","1","1","","1","1","1","1"]`),
		answerOf(row(1, "1"), row(1, "1")), answerOf(`{}`),
	} {
		s.Only(name, 200, bad)
		if c, err := s.connector.Candles(background, "BTCUSDT", "1m", 400); err == nil {
			t.Errorf("%s: %+v", bad, c)
		}
	}
	if _, err := s.connector.Candles(background, "BTCUSDT", "7m", 1); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Error(err)
	}
	for tf := range venues.Timeframes() {
		if bars[tf] == "" {
			t.Errorf("%s has no bar", tf)
		}
	}
}

func TestRecordedCandles(t *testing.T) {
	rows := dataOf[candleRow](t, fixture(t, "rest_candles_real_roq.json"))
	for n, row := range rows {
		c, err := row.candle("BTCUSDT", "1m")
		if err != nil || c.Closed != (n > 0) || c.High.LessThan(c.Low) {
			t.Errorf("%+v %v", c, err)
		}
	}
}

func TestSnapshot(t *testing.T) {
	s := newScript(t)
	const name = "GET /api/v5/market/books"
	s.On(name, 200, answerOf(`{"asks":[["63921.5","790.41","0","42"]],"bids":[],"ts":"1786541241006","seqId":9}`))
	u, err := s.connector.Snapshot(background, "BTC-USDT-SWAP")
	if err != nil || u.LastSeq != 9 || u.Symbol != "BTCUSDT" || u.Asks[0].Qty != 79041 {
		t.Fatalf("%+v %v", u, err)
	}
	for _, bad := range []string{nothing, answerOf(`{"asks":[["1"]],"seqId":9}`), answerOf(`{"seqId":"x"}`)} {
		s.Only(name, 200, bad)
		if _, err := s.connector.Snapshot(background, "BTCUSDT"); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	if _, err := s.connector.Snapshot(background, "NOPEUSDT"); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
		t.Error(err)
	}
}

func TestCapabilities(t *testing.T) {
	c := New(Sim("http://x", "ws://x")).Capabilities()
	if !c.AttachedProtection || !c.AmendStops || !c.AsyncAck || !c.StreamSnapshots || c.ClientIDUniqueForever || c.UnfilledRetention != 2*time.Hour || c.AbsenceAfter == 0 {
		t.Errorf("%+v", c)
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
