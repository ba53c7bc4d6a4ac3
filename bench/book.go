package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"venuegate/actors/book"
	"venuegate/venues"
)

// bookMessagesMin is the minimum number of messages of a round; a feed is repeated
// from its snapshot as often as necessary.
const bookMessagesMin = 20_000

// bookMessagesQuick is enough to show that a book and its probes agree.
const bookMessagesQuick = 500

// Goals of a book, against the probe and against CCXT Pro.
const (
	bookGoal     = ">= 0.80"
	peerGoal     = ">= 8"
	deepPeerGoal = ">= 18"
)

func bookScenarios() []Scenario {
	return []Scenario{
		bookScenario(venues.Binance, binanceFeeds),
		bookScenario(venues.Bybit, bybitFeeds),
		bookScenario(venues.OKX, okxFeeds),
	}
}

func bookScenario(venue venues.Venue, feeds func() ([]*bookFeed, error)) Scenario {
	return Scenario{
		Name: "book-" + string(venue),
		Does: fmt.Sprintf("raw %s bytes to an updated book with its sequence checked, against a hand scanner that checks nothing and against CCXT Pro", venue),
		Run: func(ctx context.Context, o Options) ([]Figure, error) {
			list, err := feeds()
			if err != nil {
				return nil, err
			}
			var figures []Figure
			for _, f := range list {
				more, err := measureBook(ctx, o, f)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", f.name, err)
				}
				figures = append(figures, more...)
			}
			return figures, nil
		},
	}
}

// measureBook plays one feed to the probe, the service's book and CCXT Pro in each
// round.
func measureBook(ctx context.Context, o Options, f *bookFeed) ([]Figure, error) {
	if f.missing != "" {
		return []Figure{{Group: f.name, Name: "decoded and applied", Missing: f.missing}}, nil
	}
	least, peerLeast := bookMessagesMin, peerMessagesMin
	if o.Quick {
		f.updates = f.updates[:min(len(f.updates), bookMessagesQuick)]
		least, peerLeast = len(f.updates), len(f.updates)
	}
	peer, err := startPeer(ctx, f, peerLeast)
	if err != nil && !errors.Is(err, errNoPeer) {
		return nil, err
	}
	defer peer.close()
	var ours, limit, theirs, allocs []float64
	for range o.Rounds {
		r := &bookRound{feed: f, least: least}
		if err := r.run(); err != nil {
			return nil, err
		}
		limit, ours, allocs = append(limit, r.perSecond(r.probeTook)), append(ours, r.perSecond(r.ourTook)), append(allocs, r.allocs())
		if peer != nil {
			rate, err := peer.rate(r.probe)
			if err != nil {
				return nil, err
			}
			theirs = append(theirs, rate)
		}
	}
	against := Figure{Group: f.name, Name: "against CCXT Pro " + peer.version(), Ours: spreadOf(ours), Limit: spreadOf(theirs), Unit: "messages/s", HigherIsBetter: true, Goal: f.peerGoal}
	if peer == nil {
		against = Figure{Group: f.name, Name: "against CCXT Pro", Missing: err.Error()}
	}
	return []Figure{
		{Group: f.name, Name: "decoded and applied", Ours: spreadOf(ours), Limit: spreadOf(limit), Unit: "messages/s", HigherIsBetter: true, Goal: bookGoal},
		against,
		{Group: f.name, Name: "allocations", Ours: spreadOf(allocs), Unit: "a message", Goal: "0, but for a book that grows"},
	}, nil
}

// bookRound plays a feed to the probe and the service's book in turn until least
// messages are measured. Loading the snapshot is not measured.
type bookRound struct {
	feed               *bookFeed
	least              int // messages
	messages           int
	probe              *probeBook // as it ended
	probeTook, ourTook time.Duration
	mallocs            uint64
}

func (r *bookRound) perSecond(took time.Duration) float64 {
	return float64(r.messages) / took.Seconds()
}

func (r *bookRound) allocs() float64 { return float64(r.mallocs) / float64(r.messages) }

func (r *bookRound) run() error {
	for r.messages < r.least {
		u, err := r.feed.begin()
		if err != nil {
			return err
		}
		r.probe = newProbeBook(r.feed.form, u)
		mirror := book.NewMirror()
		mirror.Update(u)
		begun := time.Now()
		for _, m := range r.feed.updates {
			r.probe.apply(m)
		}
		r.probeTook += time.Since(begun)
		if err := r.ours(mirror); err != nil {
			return err
		}
		r.messages += len(r.feed.updates)
		bid, ask := mirror.Best()
		if !mirror.Live() || bid != r.probe.best(+1) || ask != r.probe.best(-1) {
			return errors.New("the book and the probe end with different prices: they have not done the same work")
		}
	}
	return nil
}

// ours plays the feed to the connector's decoder and the service's book.
func (r *bookRound) ours(mirror *book.Mirror) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	for _, m := range r.feed.updates {
		u, err := r.feed.reader.Read(m, begun)
		if err != nil {
			return err
		}
		mirror.Update(u)
	}
	r.ourTook += time.Since(begun)
	runtime.ReadMemStats(&after)
	r.mallocs += after.Mallocs - before.Mallocs
	return nil
}
