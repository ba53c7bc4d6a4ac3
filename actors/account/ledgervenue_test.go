package account_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// ledgerVenue is a venue that accepts every order, which then rests, and keeps it with
// its executions. Its fields make it fail. It is safe for concurrent use.
type ledgerVenue struct {
	mu     sync.Mutex
	orders map[string]venues.ExecutionReport
	placed int
	// dropsOrders drops the request of an order, losesAnswers accepts the order without
	// an answer, rejectsOrders rejects it.
	dropsOrders, losesAnswers, rejectsOrders bool
	onPlace                                  func()
	onCancel                                 func() error
	listError                                error
	// listReads is how often the open orders were read.
	listReads int
	// orderQueries is how often a single order was queried, fillReads how often fills were read.
	orderQueries, fillReads int
	positions               []venues.Position
	// executions are returned immediately, orders only while hides is not set.
	executions []venues.Fill
	hides      bool
	// delisted reports that the venue no longer lists the instrument.
	delisted bool
}

func newVenue() *ledgerVenue {
	return &ledgerVenue{orders: map[string]venues.ExecutionReport{}}
}

func (v *ledgerVenue) Place(_ context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.onPlace != nil {
		v.onPlace()
	}
	if v.rejectsOrders {
		return venues.ExecutionReport{}, venues.Errorf(venues.CodeInsufficientBalance, "Margin is insufficient.")
	}
	if v.dropsOrders {
		return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
	}
	v.placed++
	report := venues.ExecutionReport{
		Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: "v" + r.ClientOrderID, Side: r.Side, Type: r.Type,
		Status: venues.StatusOpen, Qty: r.Qty, Price: r.Price,
	}
	v.orders[r.ClientOrderID] = report
	if v.losesAnswers {
		return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
	}
	return report, nil
}

func (v *ledgerVenue) find(ref venues.OrderRef) (venues.ExecutionReport, bool) {
	for _, r := range v.orders {
		if r.ClientOrderID == ref.ClientOrderID || (ref.ClientOrderID == "" && r.VenueOrderID == ref.VenueOrderID) {
			return r, true
		}
	}
	return venues.ExecutionReport{}, false
}

func (v *ledgerVenue) Cancel(_ context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.onCancel != nil {
		if err := v.onCancel(); err != nil {
			return venues.ExecutionReport{}, err
		}
	}
	r, known := v.find(ref)
	if !known || r.Status.IsClosed() {
		return r, venues.Errorf(venues.CodeNotFound, "Unknown order sent.")
	}
	r.Status = venues.StatusCancelled
	v.orders[r.ClientOrderID] = r
	return r, nil
}

func (v *ledgerVenue) Order(_ context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.orderQueries++
	r, known := v.find(ref)
	if v.delisted {
		return r, errNotListed()
	}
	if !known || v.hides {
		return r, venues.Errorf(venues.CodeNotFound, "Order does not exist.")
	}
	return r, nil
}

func (v *ledgerVenue) queriesReceived() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.orderQueries
}

// add adds an order that was made elsewhere.
func (v *ledgerVenue) add(r venues.ExecutionReport) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.orders[r.ClientOrderID] = r
}

func (v *ledgerVenue) fillReadsReceived() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fillReads
}

func (v *ledgerVenue) listsReceived() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.listReads
}

func (v *ledgerVenue) OpenOrders(context.Context) ([]venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.listReads++
	if v.listError != nil {
		return nil, v.listError
	}
	var open []venues.ExecutionReport
	for _, r := range v.orders {
		if !r.Status.IsClosed() && !v.hides && !v.delisted {
			open = append(open, r)
		}
	}
	return open, nil
}

func (v *ledgerVenue) Amend(context.Context, venues.AmendRequest) (venues.ExecutionReport, error) {
	return venues.ExecutionReport{}, errors.ErrUnsupported
}

func (v *ledgerVenue) SetLeverage(_ context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	return venues.LeverageChange{Exchange: venues.Binance, Symbol: symbol, Leverage: leverage}, nil
}

func (v *ledgerVenue) Positions(context.Context) ([]venues.Position, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.positions, nil
}

func (v *ledgerVenue) Fills(context.Context, venues.FillsQuery) ([]venues.Fill, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fillReads++
	if v.delisted {
		return nil, errNotListed()
	}
	return v.executions, nil
}

func errNotListed() error {
	return venues.Errorf(venues.CodeSymbolNotTradable, "no such instrument").With("reason", venues.ReasonUnknownSymbol)
}

// fill executes an order completely.
func (v *ledgerVenue) fill(clientID string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.orders[clientID]
	r.Status, r.FilledQty, r.VenueTime = venues.StatusFilled, r.Qty, time.Now()
	v.orders[clientID] = r
	v.executions = append(v.executions, venues.Fill{
		Symbol: r.Symbol, Side: r.Side, Qty: r.Qty, Price: r.Price.Decimal,
		VenueTradeID: "t" + clientID, VenueOrderID: r.VenueOrderID, ExecutedAt: venues.At(time.Now()),
	})
}

// setPositions sets the open positions.
func (v *ledgerVenue) setPositions(list ...venues.Position) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.positions = list
}

func (v *ledgerVenue) Mode(context.Context) (venues.AccountMode, error) {
	return venues.AccountMode{}, nil
}

func (v *ledgerVenue) Traded(context.Context, time.Time, time.Time) ([]string, error) {
	return nil, nil
}
func (v *ledgerVenue) Balances(context.Context) ([]venues.Balance, error) { return nil, nil }
func (v *ledgerVenue) OpenPrivate(venues.PrivateSink) venues.PrivateFeed  { return nil }
