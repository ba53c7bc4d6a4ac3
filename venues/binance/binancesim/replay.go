package binancesim

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
	"venuegate/venues/simcore/simnet"
)

// ReplayOptions configure how a recording is played.
type ReplayOptions struct {
	// Speed is how many times faster than recorded; default 1.
	Speed int
	// SnapshotFile holds depth snapshots that are not in the recording itself.
	SnapshotFile string
}

// replay is a recording that is being played.
type replay struct {
	simnet.Recording[frame]

	sim   *Sim
	books map[string]*replayBook
	// recorded are the stream names of the recording. They carry the recorded
	// bytes; all others are derived.
	recorded map[string]bool
	// diffs and prints name the stream of each symbol from which its book and
	// its trades are taken.
	diffs, prints map[string]string
}

// mirrorInterval is how often the recorded book is put behind the matching engine,
// mirrorDepth how many of its levels.
const (
	mirrorInterval = 250 * time.Millisecond
	mirrorDepth    = 200
)

// Replay plays a recording as the public streams of its symbols, from Serve on.
// Streams that were recorded carry the recorded bytes; other speeds of the book,
// aggregated trades and candles are derived from them. Depth returns the current
// state of the recorded book under the recorded update ids, so that a client can
// synchronise at any time. Symbols that are not listed are added. Orders match
// against the recorded book.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	r := &replay{
		Recording: simnet.Recording[frame]{Path: path, Parse: parseFrame, At: frame.time, Speed: options.Speed},
		sim:       s, books: map[string]*replayBook{}, recorded: map[string]bool{},
		diffs: map[string]string{}, prints: map[string]string{},
	}
	return r.PlayOn(s.Venue, func() error {
		if err := r.prepare(options.SnapshotFile); err != nil {
			return err
		}
		s.streams.setReplay(r)
		return nil
	}, r.step)
}

// prepare reads the recording and moves the markets to its beginning.
func (r *replay) prepare(snapshotFile string) error {
	if err := r.survey(); err != nil {
		return err
	}
	if snapshotFile != "" {
		if err := r.readSnapshots(snapshotFile); err != nil {
			return err
		}
	}
	for symbol, book := range r.books {
		start := book.Start
		if book.Best(simcore.Buy).IsZero() {
			start = func() error { return r.sim.Exchange().Pause(symbol, true) }
		}
		if err := start(); err != nil {
			return err
		}
	}
	return nil
}

// survey reads the whole recording once, for its symbols and streams and the first
// snapshots.
func (r *replay) survey() error {
	var snapshots []frame
	var bad error
	err := r.Each(func(f frame) bool {
		if f.stream == "" {
			snapshots = append(snapshots, f)
			return true
		}
		bad = r.noteStream(f)
		return bad == nil
	})
	if err = errors.Join(err, bad); err != nil {
		return err
	}
	if len(r.recorded) == 0 {
		return fmt.Errorf("recording %s has no stream messages", r.Path)
	}
	for _, f := range snapshots {
		r.seed(f)
	}
	return nil
}

func (r *replay) noteStream(f frame) error {
	if r.recorded[f.stream] {
		return nil
	}
	lower, topic, _ := strings.Cut(f.stream, "@")
	symbol := strings.ToUpper(lower)
	if r.books[symbol] == nil {
		if added, err := r.addSymbol(symbol, f); !added {
			return err
		}
	}
	r.recorded[f.stream] = true
	switch {
	case topic == "trade", topic == "aggTrade" && r.prints[symbol] == "":
		r.prints[symbol] = f.stream
	case strings.HasPrefix(topic, "depth@"), topic == "depth":
		if r.diffs[symbol] == "" {
			r.diffs[symbol] = f.stream
		}
	}
	return nil
}

// addSymbol lists a recorded symbol unless it is listed. It returns false where the
// message does not show enough of the symbol yet.
func (r *replay) addSymbol(symbol string, f frame) (bool, error) {
	l, listed := r.sim.listings[symbol]
	if !listed {
		if l = inferListing(symbol, f.data); l == nil {
			return false, nil
		}
		r.sim.listings[symbol] = l
		r.sim.symbols = append(r.sim.symbols, symbol)
		r.sim.streams.addMarket(l, 0)
		if err := r.sim.Exchange().List(l.Instrument); err != nil {
			return false, fmt.Errorf("list recorded symbol %s: %w", symbol, err)
		}
	}
	r.books[symbol] = newReplayBook(r.sim.Exchange(), l)
	return true, nil
}

// priced has the fields of any recorded message that may hold a price and a
// quantity.
type priced struct {
	Price  string          `json:"p"`
	Bid    json.RawMessage `json:"b"`
	Ask    json.RawMessage `json:"a"`
	Qty    string          `json:"q"`
	BidQty string          `json:"B"`
	Candle struct {
		Close  string `json:"c"`
		Volume string `json:"v"`
	} `json:"k"`
}

// sample returns the first price and quantity of a message.
func (p priced) sample() (price, qty string) {
	var bid string
	var bids, asks [][2]string
	switch {
	case p.Price != "":
		return p.Price, p.Qty
	case p.Candle.Close != "":
		return p.Candle.Close, p.Candle.Volume
	case json.Unmarshal(p.Bid, &bid) == nil:
		return bid, p.BidQty
	case json.Unmarshal(p.Bid, &bids) == nil && len(bids) > 0:
		return bids[0][0], bids[0][1]
	case json.Unmarshal(p.Ask, &asks) == nil && len(asks) > 0:
		return asks[0][0], asks[0][1]
	}
	return "", ""
}

// inferListing returns a listing with the decimals of a message, or nil where the
// message shows no price.
func inferListing(symbol string, data []byte) *listing {
	var message priced
	if json.Unmarshal(data, &message) != nil {
		return nil
	}
	price, qty := message.sample()
	startPrice, err := venues.ParseDecimal(price)
	if err != nil || !startPrice.IsPositive() {
		return nil
	}
	l := listing{
		Instrument:  simcore.Instrument{Symbol: symbol, Base: strings.TrimSuffix(symbol, "USDT"), StartPrice: startPrice},
		pricePlaces: places(price), qtyPlaces: places(qty), notionalMin: "5", triggerProtect: "0.1000",
		liquidationFee: "0.015000", bound: "0.10", subType: "Recorded", maxPrice: "1000000", maxQty: "10000000", marketMax: "1000000",
		onboardedAt: perpetualDelivery / 4,
	}
	l.tick, l.step = unitText(l.pricePlaces), unitText(l.qtyPlaces)
	l.minPrice = l.tick
	complete := l.complete()
	return &complete
}

func places(text string) int32 {
	_, fraction, _ := strings.Cut(text, ".")
	return int32(len(fraction))
}

// unitText returns ten to the power of -places.
func unitText(places int32) string {
	if places == 0 {
		return "1"
	}
	return "0." + strings.Repeat("0", int(places)-1) + "1"
}

func (r *replay) readSnapshots(path string) error {
	return recording.Each(path, parseFrame, func(f frame) bool {
		r.seed(f)
		return true
	})
}

// seed starts the book of a symbol with its first snapshot. A snapshot without a
// symbol belongs to the only symbol of the recording.
func (r *replay) seed(f frame) {
	symbol := f.symbol
	if symbol == "" && len(r.books) == 1 {
		for only := range r.books {
			symbol = only
		}
	}
	var snapshot depthBody
	book := r.books[symbol]
	if book == nil || book.known || json.Unmarshal(f.data, &snapshot) != nil || snapshot.LastUpdateID == 0 {
		return
	}
	book.seed(snapshot)
}

// step plays one message of a stream: first the book and the recorded stream, under
// the lock of the streams, then the exchange.
func (r *replay) step(f frame) {
	if f.stream == "" {
		return
	}
	lower, _, _ := strings.Cut(f.stream, "@")
	symbol := strings.ToUpper(lower)
	r.sim.streams.replayed(r, symbol, f)
	switch f.stream {
	case r.prints[symbol]:
		r.print(symbol, f.data)
	case r.diffs[symbol]:
		r.sim.MirrorRecorded(r.books[symbol].Book, mirrorInterval)
	}
}

// print prints a recorded trade on the exchange.
func (r *replay) print(symbol string, data []byte) {
	var trade struct {
		Price        string `json:"p"`
		Qty          string `json:"q"`
		BuyerIsMaker bool   `json:"m"`
	}
	if json.Unmarshal(data, &trade) != nil {
		return
	}
	taker := simcore.Buy
	if trade.BuyerIsMaker {
		taker = simcore.Sell
	}
	r.sim.PrintRecorded(r.books[symbol].Book, taker, trade.Price, trade.Qty)
}
