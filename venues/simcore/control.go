package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Control is the control API of a simulated venue as plain calls, for scripts and
// tests. Its errors are errors of the request. It is safe for concurrent use.
type Control struct {
	exchange *Exchange
	faults   *FaultInjector
}

// NewControl returns the control API of an exchange and its faults.
func NewControl(x *Exchange, faults *FaultInjector) *Control {
	return &Control{exchange: x, faults: faults}
}

// LedgerPage is the response of GET /ledger.
type LedgerPage struct {
	Orders []LedgerOrder `json:"orders"`
	// Writes is [Exchange.Writes] since the simulator started.
	Writes int `json:"writes"`
}

// Ledger returns every order that the venue accepted or rejected.
func (c *Control) Ledger() LedgerPage {
	return LedgerPage{Orders: c.exchange.Ledger().Orders(), Writes: c.exchange.Writes()}
}

// FaultPage is the response of the calls on /faults.
type FaultPage struct {
	InjectedFaults []InjectedFault `json:"faults"`
}

// InjectedFaults returns the scripted faults and how often each was applied.
func (c *Control) InjectedFaults() FaultPage { return FaultPage{InjectedFaults: c.faults.List()} }

// AddFault adds a scripted fault.
func (c *Control) AddFault(request FaultRequest) (FaultPage, error) {
	if _, err := c.faults.Add(request); err != nil {
		return FaultPage{}, err
	}
	return c.InjectedFaults(), nil
}

// ClearFaults removes all scripted faults and returns the empty list.
func (c *Control) ClearFaults() FaultPage {
	c.faults.Clear()
	return c.InjectedFaults()
}

// MarketRequest changes a market; every field that is set is applied. Symbol is in
// the canonical spelling.
type MarketRequest struct {
	Symbol string   `json:"symbol"`
	Price  *Decimal `json:"price,omitempty"`
	Pause  *bool    `json:"pause,omitempty"`
	Halt   *bool    `json:"halt,omitempty"`
	Depth  *int     `json:"depth,omitempty"`
	// Mark moves the mark price and with it the index price, Index the index price
	// alone.
	Mark        *Decimal `json:"mark,omitempty"`
	Index       *Decimal `json:"index,omitempty"`
	FundingRate *Decimal `json:"fundingRate,omitempty"`
}

// MarketPage is a market after a change. BidQty and AskQty are at the best levels,
// in base coin.
type MarketPage struct {
	Symbol    string          `json:"symbol"`
	LastPrice decimal.Decimal `json:"lastPrice"`
	MarkPrice decimal.Decimal `json:"markPrice"`
	BidLevels int             `json:"bidLevels"`
	AskLevels int             `json:"askLevels"`
	BidQty    decimal.Decimal `json:"bidQty"`
	AskQty    decimal.Decimal `json:"askQty"`
}

// Market changes a market and returns it. Changes before a failing one remain.
func (c *Control) Market(request MarketRequest) (MarketPage, error) {
	for _, apply := range c.marketChanges(request) {
		if err := apply(); err != nil {
			return MarketPage{}, err
		}
	}
	return c.marketPage(request.Symbol)
}

func (c *Control) marketChanges(r MarketRequest) []func() error {
	var changes []func() error
	if r.Pause != nil {
		changes = append(changes, func() error { return c.exchange.Pause(r.Symbol, *r.Pause) })
	}
	if r.Halt != nil {
		changes = append(changes, func() error { return c.exchange.Halt(r.Symbol, *r.Halt) })
	}
	if r.FundingRate != nil {
		changes = append(changes, func() error { return c.exchange.SetFundingRate(r.Symbol, r.FundingRate.Decimal) })
	}
	if r.Price != nil {
		changes = append(changes, func() error { return c.exchange.MovePrice(r.Symbol, r.Price.Decimal) })
	}
	if r.Depth != nil {
		changes = append(changes, func() error { return c.exchange.SetDepth(r.Symbol, *r.Depth) })
	}
	if r.Mark != nil {
		changes = append(changes, func() error { return c.exchange.SetMark(r.Symbol, r.Mark.Decimal) })
	}
	if r.Index != nil {
		changes = append(changes, func() error { return c.exchange.SetIndex(r.Symbol, r.Index.Decimal) })
	}
	return changes
}

func (c *Control) marketPage(canonical string) (page MarketPage, err error) {
	err = c.exchange.withMarket(canonical, func(s *symbol) error {
		page = MarketPage{
			Symbol: canonical, LastPrice: s.prices.value(s.lastTicks), MarkPrice: s.mark,
			BidLevels: len(s.book.bids.levels), AskLevels: len(s.book.asks.levels),
			BidQty: s.bestQty(&s.book.bids), AskQty: s.bestQty(&s.book.asks),
		}
		return nil
	})
	return page, err
}

// bestQty returns the quantity at the best level of a side, in base coin.
func (s *symbol) bestQty(side *bookSide) decimal.Decimal {
	return s.sizes.value(side.top().Lots).Mul(s.ContractSize)
}

// TradeRequest is an order of the house that takes from the book. Symbol is in the
// canonical spelling, Qty in base coin; Price is an optional limit.
type TradeRequest struct {
	Symbol string   `json:"symbol"`
	Side   string   `json:"side"`
	Qty    Decimal  `json:"qty"`
	Price  *Decimal `json:"price,omitempty"`
}

// TradePage is the traded quantity, in base coin.
type TradePage struct {
	FilledQty Decimal `json:"filledQty"`
}

// Trade executes an order of the house and returns the traded quantity.
func (c *Control) Trade(request TradeRequest) (TradePage, error) {
	side := Buy
	switch request.Side {
	case "buy":
	case "sell":
		side = Sell
	default:
		return TradePage{}, reject(ReasonBadRequest)
	}
	size, err := c.contractSize(request.Symbol)
	if err != nil {
		return TradePage{}, err
	}
	limit := decimal.Zero
	if request.Price != nil {
		limit = request.Price.Decimal
	}
	filled, err := c.exchange.HouseTrade(request.Symbol, side, request.Qty.Div(size), limit)
	if err != nil {
		return TradePage{}, err
	}
	return TradePage{FilledQty: Decimal{filled.Mul(size)}}, nil
}

func (c *Control) contractSize(canonical string) (size decimal.Decimal, err error) {
	err = c.exchange.withMarket(canonical, func(s *symbol) error {
		size = s.ContractSize
		return nil
	})
	return size, err
}

// AccountBody is the body of the calls on /accounts.
type AccountBody struct {
	Balance *Decimal `json:"balance,omitempty"`
	// PositionMode is one_way or hedge.
	PositionMode string       `json:"positionMode,omitempty"`
	Permissions  *Permissions `json:"permissions,omitempty"`
}

// AccountPage is an account with its credentials.
type AccountPage struct {
	ID string `json:"id"`
	Credentials
	Balance      decimal.Decimal `json:"balance"`
	PositionMode string          `json:"positionMode"`
	Permissions  Permissions     `json:"permissions"`
}

// CreateAccount opens a funded account.
func (c *Control) CreateAccount(body AccountBody) (AccountPage, error) {
	return body.apply(c.exchange.CreateAccount)
}

// UpdateAccount sets balance, position mode and permissions.
func (c *Control) UpdateAccount(id string, body AccountBody) (AccountPage, error) {
	return body.apply(func(request AccountRequest) (AccountInfo, error) { return c.exchange.UpdateAccount(id, request) })
}

// apply calls do with the request and returns the account.
func (b AccountBody) apply(do func(AccountRequest) (AccountInfo, error)) (AccountPage, error) {
	request, err := b.request()
	if err != nil {
		return AccountPage{}, err
	}
	info, err := do(request)
	if err != nil {
		return AccountPage{}, err
	}
	return accountPage(info), nil
}

// AccountsPage is the response of GET /accounts.
type AccountsPage struct {
	Accounts []AccountPage `json:"accounts"`
}

// Accounts returns the accounts, sorted by id.
func (c *Control) Accounts() AccountsPage {
	page := AccountsPage{Accounts: []AccountPage{}}
	for _, info := range c.exchange.Accounts() {
		page.Accounts = append(page.Accounts, accountPage(info))
	}
	return page
}

func (b AccountBody) request() (AccountRequest, error) {
	request := AccountRequest{Permissions: b.Permissions}
	if b.Balance != nil {
		request.Balance = &b.Balance.Decimal
	}
	switch b.PositionMode {
	case "":
	case OneWay.String(), Hedge.String():
		mode := OneWay
		if b.PositionMode == Hedge.String() {
			mode = Hedge
		}
		request.Mode = &mode
	default:
		return request, reject(ReasonBadRequest)
	}
	return request, nil
}

func accountPage(info AccountInfo) AccountPage {
	return AccountPage{
		ID: info.ID, Credentials: info.Credentials, Balance: info.Balance,
		PositionMode: info.Mode.String(), Permissions: info.Permissions,
	}
}

// ClockBody sets the offset of the venue's clock.
type ClockBody struct {
	OffsetMs int64 `json:"offsetMs"`
}

// ClockPage is the venue's clock.
type ClockPage struct {
	OffsetMs int64  `json:"offsetMs"`
	Time     string `json:"time"`
}

// SetClock sets the offset of the venue's clock from the base clock.
func (c *Control) SetClock(body ClockBody) ClockPage {
	c.exchange.Clock().SetOffset(time.Duration(body.OffsetMs) * time.Millisecond)
	return c.Clock()
}

// Clock returns the venue's clock.
func (c *Control) Clock() ClockPage {
	clock := c.exchange.Clock()
	return ClockPage{OffsetMs: clock.Offset().Milliseconds(), Time: ledgerTime(clock.Now())}
}
