package binancesim

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
	"venuegate/venues/simcore/simnet"
)

// ReplayOptions say how a recording is played.
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
	// recorded are the stream names of the recording: they are passed on byte
	// by byte, the others are derived.
	recorded map[string]bool
	// diffs and prints name the stream of each symbol from which its book and
	// its trades are taken.
	diffs, prints map[string]string
	mirrored      map[string]time.Time
}

// mirrorEvery is how often the recorded book is put behind the matching engine,
// mirrorDepth how much of it.
const (
	mirrorEvery = 250 * time.Millisecond
	mirrorDepth = 200
)

// Replay plays a recording as the public streams of its symbols, from the
// moment of Serve on. Streams that were recorded carry the recorded bytes;
// other speeds of the book, aggregated trades and candles are derived from
// them. Depth answers the recorded book as it is at that moment, under the
// recorded update ids, so that a client can synchronise at any time. Symbols
// that are not listed are added. Orders match against the recorded book.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	r := &replay{
		Recording: simnet.Recording[frame]{Path: path, Parse: parseFrame, At: frame.time, Speed: options.Speed},
		sim:       s, books: map[string]*replayBook{}, recorded: map[string]bool{},
		diffs: map[string]string{}, prints: map[string]string{}, mirrored: map[string]time.Time{},
	}
	return s.Rehearse(func() (func(), error) {
		if err := r.prepare(options.SnapshotFile); err != nil {
			return nil, err
		}
		s.streams.setReplay(r)
		return func() { r.Play(s.Venue, r.step) }, nil
	})
}

// prepare reads the recording and puts the markets where it begins.
func (r *replay) prepare(snapshotFile string) error {
	if err := r.survey(); err != nil {
		return err
	}
	if snapshotFile != "" {
		if err := r.readSnapshots(snapshotFile); err != nil {
			return err
		}
	}
	for symbol := range r.books {
		if err := r.sim.Exchange().Pause(symbol, true); err != nil {
			return fmt.Errorf("replay %s: %w", symbol, err)
		}
		if err := r.open(symbol); err != nil {
			return err
		}
	}
	return nil
}

// open moves the market of a symbol to where the recording begins.
func (r *replay) open(symbol string) error {
	bids := r.books[symbol].Side(simcore.Buy)
	if len(bids) == 0 {
		return nil
	}
	if err := r.sim.Exchange().MovePrice(symbol, r.sim.Exchange().LevelOf(symbol, bids[0]).Price); err != nil {
		return fmt.Errorf("replay %s: %w", symbol, err)
	}
	r.mirror(symbol)
	return nil
}

// survey reads the whole recording once: which symbols and streams it has, and
// the first snapshot.
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

// addSymbol makes sure that a recorded symbol is listed; false where the
// message does not show enough of it yet.
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

// priced is what any recorded message may say about a price and a quantity.
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

// sample is the first price and quantity in a message.
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

// inferListing makes a listing from the decimals that a message shows; nil
// where it shows no price.
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

// unitText is ten to the power of -places.
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

// seed starts the book of a snapshot's symbol with it, if it is the first. A
// snapshot that does not name its symbol belongs to the only one.
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

// step plays one message of a stream: the book and the recorded stream first,
// under the lock of the streams, then what the exchange is told.
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
		if base := r.sim.Clock.Base(); base.Sub(r.mirrored[symbol]) >= mirrorEvery {
			r.mirrored[symbol] = base
			r.mirror(symbol)
		}
	}
}

// print tells the exchange of a recorded trade.
func (r *replay) print(symbol string, data []byte) {
	var trade struct {
		Price        string `json:"p"`
		Qty          string `json:"q"`
		BuyerIsMaker bool   `json:"m"`
	}
	if json.Unmarshal(data, &trade) != nil {
		return
	}
	price, badPrice := venues.ParseDecimal(trade.Price)
	qty, badQty := venues.ParseDecimal(trade.Qty)
	if badPrice != nil || badQty != nil {
		return
	}
	taker := simcore.Buy
	if trade.BuyerIsMaker {
		taker = simcore.Sell
	}
	if err := r.sim.Exchange().Print(symbol, taker, price, qty); err != nil {
		r.sim.Log.Debug("recorded trade is off the grid", zap.String("symbol", symbol), zap.Error(err))
	}
}

// mirror puts the recorded book behind the matching engine.
func (r *replay) mirror(symbol string) {
	bids, asks := r.sim.streams.replayTop(r, symbol, mirrorDepth)
	if err := recording.Mirror(r.sim.Exchange(), symbol, bids, asks); err != nil {
		r.sim.Log.Error("recorded market", zap.String("symbol", symbol), zap.Error(err))
	}
}
