package bench

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

const (
	// venueTickEvery is how often every market of the venue tells something, so
	// that nobody takes its streams for broken.
	venueTickEvery = time.Second
	// venueTradesEvery is how often trades are made whose rate is asked for; those
	// of the time between come one right after the other.
	venueTradesEvery = 2 * time.Millisecond
	// tradedSymbol is the market that the trades are of.
	tradedSymbol = "BTCUSDT"
)

// venuePart is a simulated venue that takes any number of requests. Its prices
// stand still. Its argument is how many accounts it has besides the stranger's.
type venuePart struct {
	sim *binancesim.Sim
	// tradesPerSecond is the rate of trades.
	tradesPerSecond atomic.Int64
	stop            context.CancelFunc
	moving          sync.WaitGroup
}

// venueReady says where the venue is, and who trades there. The stranger is an
// account that no service knows.
type venueReady struct {
	At       simnet.Endpoints      `json:"at"`
	Stranger simcore.Credentials   `json:"stranger"`
	Accounts []simcore.Credentials `json:"accounts"`
}

// venueQuestion changes the rate of trades.
type venueQuestion struct {
	TradesPerSecond int64 `json:"tradesPerSecond"`
}

func (v *venuePart) open(ctx context.Context, argument string) (any, error) {
	accounts, err := strconv.Atoi(argument)
	if err != nil {
		return nil, err
	}
	v.sim, err = binancesim.New(binancesim.Options{
		Setup:      simnet.Setup{Seed: 1, Quiet: true},
		RateLimits: binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1},
	})
	if err != nil {
		return nil, err
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = listenLocal(ctx); err != nil {
			return nil, err
		}
	}
	v.sim.Serve(listeners[0], listeners[1])
	said := venueReady{At: v.sim.Endpoints(), Stranger: v.sim.DemoAccount().Credentials}
	for range accounts {
		account, err := v.sim.NewAccount()
		if err != nil {
			return nil, err
		}
		said.Accounts = append(said.Accounts, account.Credentials)
	}
	ctx, v.stop = context.WithCancel(context.WithoutCancel(ctx))
	v.moving.Go(func() { v.tick(ctx) })
	v.moving.Go(func() { v.trade(ctx) })
	return said, nil
}

func (v *venuePart) answer(_ context.Context, question []byte) (any, error) {
	var q venueQuestion
	err := json.Unmarshal(question, &q)
	v.tradesPerSecond.Store(q.TradesPerSecond)
	return struct{}{}, err
}

func (v *venuePart) close() error {
	if v.stop == nil {
		return nil
	}
	v.stop()
	v.moving.Wait()
	return v.sim.Close()
}

// tick tells the mark price of every market, and changes the quantity of a level
// that no order reaches, back and forth.
func (v *venuePart) tick(ctx context.Context) {
	exchange := v.sim.Exchange()
	every := time.NewTicker(venueTickEvery)
	defer every.Stop()
	for n := int64(0); ; n++ {
		for _, symbol := range exchange.Symbols() {
			v.tickMarket(exchange, symbol, 1+n%2)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

func (v *venuePart) tickMarket(exchange *simcore.Exchange, symbol string, lots int64) {
	market, known := exchange.Instrument(symbol)
	mark, marked := exchange.Mark(symbol)
	if !known || !marked {
		return
	}
	_ = exchange.SetMark(market.Canonical, mark.Mark)
	if book, ok := exchange.Book(symbol, math.MaxInt); ok && len(book.Bids) > 0 {
		last := book.Bids[len(book.Bids)-1]
		_ = exchange.HouseLevel(market.Canonical, simcore.Buy, last.Price, market.StepSize.Mul(decimal.New(lots, 0)))
	}
}

// trade makes trades at the rate that is asked for.
func (v *venuePart) trade(ctx context.Context) {
	every := time.NewTicker(venueTradesEvery)
	defer every.Stop()
	var due float64
	side := simcore.Buy
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case now := <-every.C:
			due += now.Sub(last).Seconds() * float64(v.tradesPerSecond.Load())
			last = now
		}
		for ; due >= 1; due-- {
			// Each is of another taker, or the venue would tell of them as one.
			side = side.Opposite()
			if err := v.sim.Exchange().Print(tradedSymbol, side, v.sim.Exchange().LastPrice(tradedSymbol), decimal.New(1, 0)); err != nil {
				panic(errors.Join(errors.New("the venue refuses a trade"), err))
			}
		}
	}
}
