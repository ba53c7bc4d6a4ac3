package candles_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/candles"
	"venuegate/venues"
)

// source is a venue whose candles of a minute are numbered since listed. The close of an
// open candle counts the requests.
type source struct {
	mu       sync.Mutex
	listed   time.Time
	latency  time.Duration
	err      error
	requests []venues.CandlesQuery
}

func (s *source) Candles(ctx context.Context, q venues.CandlesQuery) (list []venues.Candle, err error) {
	s.mu.Lock()
	s.requests = append(s.requests, q)
	count, latency, listed := len(s.requests), s.latency, s.listed
	err = s.err
	s.mu.Unlock()
	now := time.Now()
	select {
	case <-time.After(latency):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	last := now
	if q.Before.Before(last) {
		last = q.Before.Add(-time.Nanosecond)
	}
	for at := last.UTC().Truncate(time.Minute); len(list) < q.Limit && !at.Before(listed); at = at.Add(-time.Minute) {
		c := venues.Candle{Symbol: q.Symbol, Timeframe: q.Timeframe, Start: at, End: at.Add(time.Minute), Close: decimal.NewFromInt(at.Unix())}
		if c.Closed = !now.Before(c.End); !c.Closed {
			c.Close = decimal.NewFromInt(int64(count))
		}
		list = append(list, c)
	}
	slices.Reverse(list)
	return list, nil
}

// change changes the venue.
func (s *source) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// take returns the requests since the last call.
func (s *source) take() []venues.CandlesQuery {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.requests
	s.requests = nil
	return taken
}

type fixture struct {
	*testing.T
	*source
	cache *candles.Cache
}

// run runs a test at a minute in the middle of a block, half a minute after its start.
func run(t *testing.T, test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		now := time.Now()
		time.Sleep(now.Truncate(5 * time.Hour).Add(7*time.Hour + 30*time.Second).Sub(now))
		test(&fixture{T: t, source: s, cache: candles.New(s)})
	})
}

// read reads a period in minutes from the present one, and checks that it is contiguous.
func (f *fixture) read(from, to int) []venues.Candle {
	f.Helper()
	minute := time.Now().UTC().Truncate(time.Minute)
	list, err := f.cache.Read(f.Context(), "BTCUSDT", "1m", minute.Add(time.Duration(from)*time.Minute), minute.Add(time.Duration(to)*time.Minute))
	if err != nil {
		f.Fatal(err)
	}
	for n, c := range list {
		if want := minute.Add(time.Duration(from+n) * time.Minute); !c.Start.Equal(want) {
			f.Fatalf("candle %d of %d begins at %s, want %s", n, len(list), c.Start, want)
		}
	}
	return list
}

// expect checks how many requests were made, and for how many candles in all.
func (f *fixture) expect(what string, requests, limits int) {
	f.Helper()
	taken := f.take()
	sum := 0
	for _, q := range taken {
		sum += q.Limit
	}
	if len(taken) != requests || sum != limits {
		f.Errorf("%s: %d requests of %d candles, want %d of %d: %+v", what, len(taken), sum, requests, limits, taken)
	}
}

func TestClosedCandlesAreReadOnce(t *testing.T) {
	run(t, func(f *fixture) {
		if list := f.read(-700, -100); len(list) != 600 {
			f.Errorf("%d candles, want 600", len(list))
		}
		// Minute -120 begins the block of the present, whose candles are read up to that.
		f.expect("three blocks", 3, 300+300+121)
		f.read(-700, -200)
		f.read(-121, -120)
		f.expect("again", 0, 0)
		time.Sleep(time.Hour)
		f.read(-700, -200)
		f.expect("an hour later", 0, 0)
	})
}

func TestOpenCandleIsAtMostASecondOld(t *testing.T) {
	run(t, func(f *fixture) {
		f.read(-10, 1)
		f.expect("first", 1, 121)
		time.Sleep(900 * time.Millisecond)
		if list := f.read(-10, 1); len(list) != 11 || list[10].Closed || !list[9].Closed {
			f.Errorf("candles %+v, want 11, only the last one open", list)
		}
		f.expect("within a second", 0, 0)
		time.Sleep(200 * time.Millisecond)
		if last := f.read(-10, 1)[10]; !last.Close.Equal(decimal.NewFromInt(1)) {
			f.Errorf("open candle closes at %s, want 1, as of the request just now", last.Close)
		}
		f.expect("after a second", 1, 1)
		time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute - 50*time.Millisecond)))
		f.read(-10, 1)
		f.expect("the end of the minute", 1, 1)
		time.Sleep(100 * time.Millisecond)
		if list := f.read(-10, 1); !list[9].Closed || list[10].Closed || !list[9].Close.Equal(decimal.NewFromInt(list[9].Start.Unix())) {
			f.Errorf("candles %+v, want the last but one closed, with its final price", list[9:])
		}
		f.expect("the next minute", 1, 2)
		time.Sleep(3 * time.Second)
		f.read(-10, 1)
		f.expect("before the closed one is settled", 1, 2)
		time.Sleep(3 * time.Second)
		f.read(-10, 1)
		f.expect("settled", 1, 2)
		time.Sleep(2 * time.Second)
		f.read(-10, 1)
		f.expect("afterwards", 1, 1)
	})
}

// TestBlockIsCompletedLater reads a block while it fills, and after its end.
func TestBlockIsCompletedLater(t *testing.T) {
	run(t, func(f *fixture) {
		f.read(-120, 1)
		f.expect("first", 1, 121)
		time.Sleep(200 * time.Minute) // 180 minutes of the block were left
		if list := f.read(-320, 1); len(list) != 321 {
			f.Errorf("%d candles, want 321", len(list))
		}
		f.expect("later", 2, 180+21)
		time.Sleep(time.Minute)
		f.read(-321, -30)
		f.expect("a complete block", 0, 0)
	})
}

// A block that lacks candles is read again later, because the venue may have failed to
// list them; the candles before the listing of an instrument are lacking for ever.
func TestGapsAreReadAgain(t *testing.T) {
	run(t, func(f *fixture) {
		f.change(func() { f.listed = time.Now().Add(-500 * time.Minute) })
		minute := time.Now().UTC().Truncate(time.Minute)
		before := func(n int) time.Time { return minute.Add(-time.Duration(n) * time.Minute) }
		read := func(from, to int) int {
			list, err := f.cache.Read(f.Context(), "BTCUSDT", "1m", before(from), before(to))
			if err != nil {
				f.Fatal(err)
			}
			return len(list)
		}
		if got := read(1020, 420); got != 79 {
			f.Errorf("%d candles, want the 79 since the listing", got)
		}
		f.expect("first", 2, 600)
		read(1020, 420)
		f.expect("again", 0, 0)
		f.change(func() { f.listed = time.Time{} })
		time.Sleep(11 * time.Minute)
		if got := read(1020, 420); got != 600 {
			f.Errorf("%d candles, want all 600", got)
		}
		f.expect("later", 2, 600)
	})
}

func TestCallersShareOneRequest(t *testing.T) {
	run(t, func(f *fixture) {
		f.change(func() { f.latency = time.Second })
		leaving, leave := context.WithCancel(f.Context())
		var group sync.WaitGroup
		for n := range 20 {
			ctx := f.Context()
			if n == 0 {
				ctx = leaving
			}
			group.Go(func() {
				list, err := f.cache.Read(ctx, "BTCUSDT", "1m", time.Now().Add(-200*time.Minute), time.Now().Add(-150*time.Minute))
				if failed := venues.CodeOf(err) == venues.CodeExchangeUnavailable; failed != (n == 0) || !failed && len(list) != 50 {
					f.Errorf("caller %d: %d candles, %v, want 50, except for the one that left", n, len(list), err)
				}
			})
			synctest.Wait()
		}
		leave()
		group.Wait()
		f.expect("20 callers", 1, 300)
	})
}

func TestErrorsAreNotKept(t *testing.T) {
	run(t, func(f *fixture) {
		down := errors.New("down")
		f.change(func() { f.err = down })
		from := time.Now().Add(-10 * time.Hour)
		if _, err := f.cache.Read(f.Context(), "BTCUSDT", "1m", from, from.Add(time.Minute)); !errors.Is(err, down) {
			f.Errorf("error = %v, want %v", err, down)
		}
		f.change(func() { f.err = nil })
		if list, err := f.cache.Read(f.Context(), "BTCUSDT", "1m", from, from.Add(time.Minute)); err != nil || len(list) != 1 {
			f.Errorf("%d candles, %v, want 1", len(list), err)
		}
		if _, err := f.cache.Read(f.Context(), "BTCUSDT", "7m", from, from.Add(time.Minute)); venues.CodeOf(err) != venues.CodeInvalidRequest {
			f.Errorf("error of an unknown timeframe = %v, want invalid_request", err)
		}
	})
}

// TestSlowVenueHasFewRequests asks a venue that does not respond for many blocks.
func TestSlowVenueHasFewRequests(t *testing.T) {
	run(t, func(f *fixture) {
		f.change(func() { f.latency = time.Hour })
		var group sync.WaitGroup
		for n := range 20 {
			group.Go(func() {
				from := time.Now().Add(-time.Duration(n+2) * 5 * time.Hour)
				began := time.Now()
				if _, err := f.cache.Read(f.Context(), "BTCUSDT", "1m", from, from.Add(time.Minute)); err == nil {
					f.Error("read succeeded, want an error")
				} else if e, limited := errors.AsType[*venues.Error](err); limited && (e.Code != venues.CodeRateLimited || e.RetryAfter <= 0) {
					f.Errorf("error = %v, want rate_limited with a time to wait", err)
				}
				if took := time.Since(began); took != 5*time.Second {
					f.Errorf("read took %v, want 5 s", took)
				}
			})
		}
		group.Wait()
		if got := len(f.take()); got != 4 {
			f.Errorf("%d requests, want 4 at once", got)
		}
	})
}

// TestLeastUsedBlocksAreDropped reads one block again and again between many others.
func TestLeastUsedBlocksAreDropped(t *testing.T) {
	run(t, func(f *fixture) {
		block := func(n int) {
			f.Helper()
			from := time.Now().UTC().Truncate(5 * time.Hour).Add(-time.Duration(n) * 5 * time.Hour)
			if list, err := f.cache.Read(f.Context(), "BTCUSDT", "1m", from, from.Add(5*time.Hour)); err != nil || len(list) != 300 {
				f.Fatalf("%d candles, %v, want 300", len(list), err)
			}
		}
		block(1)
		for n := 2; n <= 130; n++ {
			block(n)
			block(1)
		}
		f.expect("130 blocks", 130, 130*300)
		block(130)
		f.expect("the newest", 0, 0)
		block(2)
		f.expect("the least used", 1, 300)
	})
}
