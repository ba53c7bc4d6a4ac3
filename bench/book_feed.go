package bench

import (
	"fmt"
	"math/rand/v2"
	"time"

	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/bybit"
	"venuegate/venues/okx"
)

const (
	// syntheticMessages is the number of messages of a synthetic feed,
	// syntheticChanges the number of changes per message.
	syntheticMessages = 5000
	syntheticChanges  = 19
	syntheticMid      = 1_000_000 // in ticks
	syntheticSeed     = 1
	// deepLevels is the number of levels per side of a synthetic book; OKX sends at
	// most okxLevels.
	deepLevels = 1000
	okxLevels  = 400
)

// bookFeed is the raw book messages of one instrument.
type bookFeed struct {
	name       string
	venue      venues.Venue
	instrument venues.Instrument
	reader     bookReader
	form       probeForm
	// snapshot has the form of an update, also if the venue has it only over REST;
	// the updates continue it without a gap.
	snapshot []byte
	updates  [][]byte
	peerGoal string
	// missing is the reason if there are no messages.
	missing string
}

type bookReader interface {
	Read(message []byte, received time.Time) (*venues.BookUpdate, error)
}

// begin reads the snapshot.
func (f *bookFeed) begin() (*venues.BookUpdate, error) {
	u, err := f.reader.Read(f.snapshot, time.Now())
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	u.Snapshot = true
	return u, nil
}

var (
	bidsFirst = [2]probeSideForm{{`"b":[`, +1}, {`"a":[`, -1}}
	asksFirst = [2]probeSideForm{{`"asks":[`, -1}, {`"bids":[`, +1}}
)

func newInstrument(venue venues.Venue, symbol, step, size string) venues.Instrument {
	return venues.Instrument{
		Symbol: symbol, VenueSymbol: symbol, Exchange: venue,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal(step), ContractSize: venues.MustDecimal(size),
	}
}

func newFeed(name string, i venues.Instrument, depth int) *bookFeed {
	f := &bookFeed{name: name, venue: i.Exchange, instrument: i, peerGoal: peerGoal}
	// Messages count contracts; the contract size is chosen so that their fixed-point
	// numbers equal those of the base coin.
	contracts := venues.Instrument{TickSize: i.TickSize, QtyStep: i.QtyStep.Div(i.ContractSize)}
	f.form = probeForm{sides: bidsFirst, scale: contracts.Scale()}
	switch i.Exchange {
	case venues.Binance:
		f.reader = binance.NewBookReader(&f.instrument)
	case venues.Bybit:
		f.reader = bybit.NewBookReader(&f.instrument, depth)
	case venues.OKX:
		f.reader = okx.NewBookReader(&f.instrument)
		f.form.sides = asksFirst
	}
	return f
}

// synthetic fills a feed with a book of levels per side and changes near the best
// price. Prices have one decimal and quantities three; a level ends with tail, and
// wrap builds message n from the levels, 0 being the snapshot.
func (f *bookFeed) synthetic(levels int, tail string, wrap func(n int, bids, asks []byte) []byte) *bookFeed {
	f.name = fmt.Sprintf("%d changes a message, %d levels a side", syntheticChanges, levels)
	if levels >= deepLevels {
		f.peerGoal = deepPeerGoal
	}
	side := func(sign, changes int, change func(i int) (away, qty int)) (text []byte) {
		for i := range changes {
			away, qty := change(i)
			price := syntheticMid + sign*away
			if i > 0 {
				text = append(text, ',')
			}
			text = fmt.Appendf(text, `["%d.%d","%d.%03d"%s]`, price/10, price%10, qty/1000, qty%1000, tail)
		}
		return text
	}
	whole := func(i int) (away, qty int) { return 1 + i, 1000 }
	f.snapshot = wrap(0, side(-1, levels, whole), side(+1, levels, whole))
	random := rand.New(rand.NewPCG(syntheticSeed, syntheticSeed))
	some := func(int) (away, qty int) {
		return 1 + min(int(random.ExpFloat64()*15), levels-1), random.IntN(4) * random.IntN(5000)
	}
	for n := range syntheticMessages {
		bids := (syntheticChanges + n%2) / 2
		f.updates = append(f.updates, wrap(n+1, side(-1, bids, some), side(+1, syntheticChanges-bids, some)))
	}
	return f
}

func binanceFeeds() ([]*bookFeed, error) {
	i := newInstrument(venues.Binance, "BTCUSDT", "0.001", "1")
	recorded, err := newFeed("recorded BTCUSDT depth@0ms", i, 0).recorded(recordedBinance)
	deep := newFeed("", i, 0).synthetic(deepLevels, "", func(n int, bids, asks []byte) []byte {
		return fmt.Appendf(nil, `{"e":"depthUpdate","E":1723161256501,"T":1723161256493,"s":"BTCUSDT","U":%d,"u":%d,"pu":%d,"b":[%s],"a":[%s]}`,
			5123107832002+int64(100*n), 5123107832101+int64(100*n), 5123107832001+int64(100*n), bids, asks)
	})
	return []*bookFeed{recorded, deep}, err
}

func bybitFeeds() ([]*bookFeed, error) {
	i := newInstrument(venues.Bybit, "BTCUSDT", "0.001", "1")
	recorded, err := newFeed("recorded BTCUSDT orderbook.200", i, 200).recorded(recordedBybit)
	deep := newFeed("", i, deepLevels).synthetic(deepLevels, "", func(n int, bids, asks []byte) []byte {
		kind := "delta"
		if n == 0 {
			kind = "snapshot"
		}
		return fmt.Appendf(nil, `{"topic":"orderbook.1000.BTCUSDT","type":"%s","ts":1786310818130,"data":{"s":"BTCUSDT","b":[%s],"a":[%s],"u":%d,"seq":%d},"cts":1786310818120}`,
			kind, bids, asks, 15076955+n, 753843907770+int64(n))
	})
	return []*bookFeed{recorded, deep}, err
}

func okxFeeds() ([]*bookFeed, error) {
	spot := newInstrument(venues.OKX, "BTC-USDT", "0.00000001", "1")
	recorded, err := newFeed("recorded BTC-USDT books", spot, 0).recorded(recordedOKX)
	i := newInstrument(venues.OKX, "BTC-USDT-SWAP", "0.00001", "0.01")
	deep := newFeed("", i, 0).synthetic(okxLevels, `,"0","5"`, func(n int, bids, asks []byte) []byte {
		action, previous := "update", int64(80274874876+n)
		if n == 0 {
			action, previous = "snapshot", -1
		}
		return fmt.Appendf(nil, `{"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"action":"%s","data":[{"asks":[%s],"bids":[%s],"ts":"1787612486307","checksum":0,"seqId":%d,"prevSeqId":%d}]}`,
			action, asks, bids, 80274874877+n, previous)
	})
	return []*bookFeed{recorded, deep}, err
}
