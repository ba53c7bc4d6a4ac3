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
	// venueTickEvery is the interval at which every market of the venue publishes a
	// message, so that no stream counts as broken.
	venueTickEvery = time.Second
	// venueTradesEvery is the interval at which trades are made; the trades of one
	// interval follow each other immediately.
	venueTradesEvery = 2 * time.Millisecond
	// tradedSymbol is the instrument of the trades.
	tradedSymbol = "BTCUSDT"
)

// venuePart is a simulated venue with constant prices and without rate limits. Its
// argument is the number of accounts besides Outside.
type venuePart struct {
	sim *binancesim.Sim
	// tradesPerSecond is the rate of trades.
	tradesPerSecond atomic.Int64
	stop            context.CancelFunc
	moving          sync.WaitGroup
}

// venueReady has the addresses and accounts of the venue. Outside is an account that
// no service uses.
type venueReady struct {
	At       simnet.Endpoints      `json:"at"`
	Outside  simcore.Credentials   `json:"outside"`
	Accounts []simcore.Credentials `json:"accounts"`
}

// venueRequest changes the rate of trades.
type venueRequest struct {
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
	said := venueReady{At: v.sim.Endpoints(), Outside: v.sim.DemoAccount().Credentials}
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
	var q venueRequest
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

// tick publishes the mark price of every market, and alternates the quantity of a
// level that no order reaches.
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

// trade makes trades at the requested rate.
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
			// Each has another taker, otherwise the venue would report them as one.
			side = side.Opposite()
			if err := v.sim.Exchange().Print(tradedSymbol, side, v.sim.Exchange().LastPrice(tradedSymbol), decimal.New(1, 0)); err != nil {
				panic(errors.Join(errors.New("the venue rejects a trade"), err))
			}
		}
	}
}
