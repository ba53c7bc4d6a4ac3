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
	sim     *Sim
	path    string
	speed   int
	first   time.Duration
	started time.Time
	books   map[string]*replayBook
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

// ErrServing reports a recording that comes too late.
var ErrServing = errors.New("a recording must be given before Serve")

// Replay plays a recording as the public streams of its symbols, from the
// moment of Serve on. Streams that were recorded carry the recorded bytes;
// other speeds of the book, aggregated trades and candles are derived from
// them. Depth answers the recorded book as it is at that moment, under the
// recorded update ids, so that a client can synchronise at any time. Symbols
// that are not listed are added. Orders match against the recorded book.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	if s.Endpoints() != (Endpoints{}) {
		return ErrServing
	}
	r := &replay{
		sim: s, path: path, speed: max(1, options.Speed), books: map[string]*replayBook{},
		recorded: map[string]bool{}, diffs: map[string]string{}, prints: map[string]string{}, mirrored: map[string]time.Time{},
	}
	if err := r.survey(path); err != nil {
		return err
	}
	if options.SnapshotFile != "" {
		if err := r.readSnapshots(options.SnapshotFile); err != nil {
			return err
		}
	}
	for symbol := range r.books {
		if err := s.exchange.Pause(symbol, true); err != nil {
			return fmt.Errorf("replay %s: %w", symbol, err)
		}
		if err := r.open(symbol); err != nil {
			return err
		}
	}
	s.streams.setReplay(r)
	return nil
}

// open moves the market of a symbol to where the recording begins.
func (r *replay) open(symbol string) error {
	bids := r.books[symbol].Side(simcore.Buy)
	if len(bids) == 0 {
		return nil
	}
	if err := r.sim.exchange.MovePrice(symbol, r.sim.exchange.LevelOf(symbol, bids[0]).Price); err != nil {
		return fmt.Errorf("replay %s: %w", symbol, err)
	}
	r.mirror(symbol)
	return nil
}

// survey reads the whole recording once: which symbols and streams it has, and
// the first snapshot.
func (r *replay) survey(path string) error {
	var snapshots []frame
	begun := false
	var bad error
	err := recording.Each(path, parseFrame, func(f frame) bool {
		if !begun {
			begun, r.first = true, f.at
		}
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
		return fmt.Errorf("recording %s has no stream messages", path)
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
		if err := r.sim.exchange.List(l.Instrument); err != nil {
			return false, fmt.Errorf("list recorded symbol %s: %w", symbol, err)
		}
	}
	r.books[symbol] = newReplayBook(r.sim.exchange, l)
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

// play plays the recording until its end or until the server closes.
func (r *replay) play() {
	r.started = r.sim.clock.Base()
	err := recording.Each(r.path, parseFrame, func(f frame) bool {
		due := r.started.Add((f.at - r.first) / time.Duration(r.speed))
		if !r.sim.server.Wait(due.Sub(r.sim.clock.Base())) {
			return false
		}
		if f.stream != "" {
			r.step(f)
		}
		return true
	})
	if err != nil {
		r.sim.log.Error("recording cannot be played on", zap.Error(err))
	}
}

// step plays one message: the book and the recorded stream first, under the
// lock of the streams, then what the exchange is told.
func (r *replay) step(f frame) {
	lower, _, _ := strings.Cut(f.stream, "@")
	symbol := strings.ToUpper(lower)
	r.sim.streams.replayed(r, symbol, f)
	switch f.stream {
	case r.prints[symbol]:
		r.print(symbol, f.data)
	case r.diffs[symbol]:
		if base := r.sim.clock.Base(); base.Sub(r.mirrored[symbol]) >= mirrorEvery {
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
	if err := r.sim.exchange.Print(symbol, taker, price, qty); err != nil {
		r.sim.log.Debug("recorded trade is off the grid", zap.String("symbol", symbol), zap.Error(err))
	}
}

// mirror puts the recorded book behind the matching engine.
func (r *replay) mirror(symbol string) {
	bids, asks := r.sim.streams.replayTop(r, symbol, mirrorDepth)
	if err := recording.Mirror(r.sim.exchange, symbol, bids, asks); err != nil {
		r.sim.log.Error("recorded market", zap.String("symbol", symbol), zap.Error(err))
	}
}
