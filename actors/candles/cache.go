package candles

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"venuegate/venues"
)

const (
	// blocksMax bounds the blocks of a venue that are kept; a block takes some 140 KB.
	blocksMax = 128
	// readsMax bounds the requests of a venue that are under way.
	readsMax = 4
	// readWait bounds a Read. A request that the venue's rate limits would delay longer
	// fails at once.
	readWait = 5 * time.Second
	// readRetry is the Retry-After of a read for which there was no room.
	readRetry = time.Second
)

// Source reads candles from a venue; a venues.Connector is one.
type Source interface {
	Candles(ctx context.Context, q venues.CandlesQuery) ([]venues.Candle, error)
}

// Cache holds the candles of one venue that were read last. It is safe for concurrent
// use.
type Cache struct {
	source  Source
	flights singleflight.Group
	// slots has an element for each request that is under way.
	slots chan struct{}

	mu     sync.Mutex
	blocks map[blockKey]*cached
	uses   uint64
}

// blockKey identifies a block by the series and the Unix time of its start.
type blockKey struct {
	symbol    string
	timeframe venues.Timeframe
	start     int64
}

type cached struct {
	block
	// used is the value of Cache.uses at the last use.
	used uint64
}

// New returns an empty cache.
func New(source Source) *Cache {
	return &Cache{source: source, slots: make(chan struct{}, readsMax), blocks: make(map[blockKey]*cached)}
}

// Read returns the candles of an instrument that begin in [from, to), oldest first, without
// those that the venue does not list. The last one is open if it is the present one; it is
// at most a second old.
func (c *Cache) Read(ctx context.Context, symbol string, tf venues.Timeframe, from, to time.Time) ([]venues.Candle, error) {
	length, known := venues.Timeframes()[tf]
	if !known {
		return nil, venues.UnknownTimeframe(tf)
	}
	deadline := time.Now().Add(readWait)
	var candles []venues.Candle
	for at := from; at.Before(to); {
		empty := blockAt(at, length)
		if empty.start.After(time.Now()) {
			break
		}
		b, err := c.fresh(ctx, deadline, symbol, tf, empty)
		if err != nil {
			return nil, err
		}
		candles, at = b.within(candles, from, to), b.end
	}
	return candles, nil
}

// fresh returns a block from the cache, or reads what it lacks. Callers of the same block
// wait for one request.
func (c *Cache) fresh(ctx context.Context, deadline time.Time, symbol string, tf venues.Timeframe, empty block) (block, error) {
	key := blockKey{symbol, tf, empty.start.Unix()}
	if b, found := c.load(key); found && b.isFresh(time.Now()) {
		return b, nil
	}
	flight := c.flights.DoChan(fmt.Sprintf("%s %s %d", symbol, tf, key.start), func() (any, error) {
		// The others do not depend on the request of the first caller.
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
		defer cancel()
		return c.read(ctx, key, empty)
	})
	select {
	case done := <-flight:
		b, _ := done.Val.(block)
		return b, done.Err
	case <-ctx.Done():
		return block{}, venues.Errorf(venues.CodeExchangeUnavailable, "the candles were not read in time").Because(ctx.Err())
	}
}

// read reads what a block lacks and keeps the result.
func (c *Cache) read(ctx context.Context, key blockKey, b block) (block, error) {
	if err := c.takeSlot(ctx); err != nil {
		return b, err
	}
	defer func() { <-c.slots }()
	if found, ok := c.load(key); ok {
		b = found
	}
	now := time.Now()
	from, to := b.missing(now)
	listed, err := c.source.Candles(ctx, venues.CandlesQuery{
		Symbol: key.symbol, Timeframe: key.timeframe, Before: to, Limit: int(to.Sub(from) / b.length),
	})
	if err != nil {
		return b, err
	}
	b = b.merge(listed, now)
	c.keep(key, b)
	return b, nil
}

// takeSlot waits for a slot until the deadline of ctx.
func (c *Cache) takeSlot(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
		if end, _ := ctx.Deadline(); time.Now().Before(end) {
			return nil
		}
		<-c.slots // too late for a request
	case <-ctx.Done():
	}
	e := venues.Errorf(venues.CodeRateLimited, "more than %d requests of candles are under way", readsMax).With("scope", venues.LimitOfVenue)
	e.RetryAfter = readRetry
	return e
}

func (c *Cache) load(key blockKey) (block, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.blocks[key]
	if found == nil {
		return block{}, false
	}
	c.uses++
	found.used = c.uses
	return found.block, true
}

// keep stores a block. If there are too many it removes the one that was not used for the
// longest time.
func (c *Cache) keep(key blockKey, b block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	c.blocks[key] = &cached{b, c.uses}
	if len(c.blocks) <= blocksMax {
		return
	}
	oldest := key
	for k, b := range c.blocks {
		if b.used < c.blocks[oldest].used {
			oldest = k
		}
	}
	delete(c.blocks, oldest)
}
