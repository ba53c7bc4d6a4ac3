package simcore

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// ClientIDScope is the set of orders among which a client order id must be unique.
type ClientIDScope uint8

// Scopes of client order ids.
const (
	// UniqueAmongOpen allows an id again once its order is closed.
	UniqueAmongOpen ClientIDScope = iota
	// UniqueForever never allows an id again.
	UniqueForever
)

// Options are the options of an exchange. A zero value means the default of the
// field.
type Options struct {
	// Instruments is the listing; at least one.
	Instruments []Instrument
	// Seed is the seed of all random numbers.
	Seed uint64
	// Quiet disables the order flow: the books change only by orders and by calls such
	// as MovePrice.
	Quiet bool
	// FlowStep is the interval in which the order flow changes every book; default
	// 100 ms.
	FlowStep time.Duration
	// TradesPerSecond is the number of trades that the order flow makes in each market,
	// in equal parts with each step; default one or two with each step, at random. Fills
	// of orders by the order flow are trades beyond that number.
	TradesPerSecond int
	// Clock is the venue's clock; default the system clock.
	Clock *Clock
	// FeeMaker and FeeTaker of new accounts; default 0.0002 and 0.0005.
	FeeMaker, FeeTaker decimal.Decimal
	// FeesRound rounds fees half up to the digits of money; otherwise they are
	// truncated.
	FeesRound bool
	// MarginIncludesFees makes margins include the estimated taker fees: of closing a
	// position at its bankruptcy price, and of opening and closing the opening part of
	// an order. Such margins are rounded up, others truncated.
	MarginIncludesFees bool
	// StartBalance of new accounts; default 100 000.
	StartBalance decimal.Decimal
	// Credentials is the format of the venue's credentials; default 64 characters for
	// key and secret, no passphrase.
	Credentials CredentialFormat
	ClientIDs   ClientIDScope
	// AmendKeepsPriority keeps the place of an amended order in the queue where the
	// price is unchanged and the quantity not increased.
	AmendKeepsPriority bool
	// IsolatedTopUp allows a lower leverage for an isolated position and adds the
	// missing margin to it. Otherwise that is rejected.
	IsolatedTopUp bool
	// CrossingCancels accepts a post-only order that would take, and a fill-or-kill
	// order that cannot be filled in full, and cancels it immediately. Otherwise both
	// are rejected.
	CrossingCancels bool
	// AmendAboveFilled rejects an amendment to a quantity that is already filled.
	// Otherwise it cancels the rest of the order.
	AmendAboveFilled bool
	// AmendmentsMax per order; default 10 000.
	AmendmentsMax int
	// TriggerDelay is the time from the trigger of a conditional order until its order
	// is placed; zero places it in the same step.
	TriggerDelay time.Duration
	// LiquidationByTiers reduces a position in a high tier by two tiers, repeatedly if
	// necessary, before it is liquidated in full.
	LiquidationByTiers bool
	// LiquidationIncludesFee adds the taker fee of closing at the mark price to the
	// required margin of positions.
	LiquidationIncludesFee bool
	// TriggeredKeepsID gives a triggered order the id of its conditional.
	TriggeredKeepsID bool
	// FundingInterval; default 8 h, aligned to midnight UTC.
	FundingInterval time.Duration
	// BookDepth is the number of levels of the house on each side; default 220.
	BookDepth int
	// Ledger receives every order; default a ledger in memory. Exchanges that
	// share one must have different names.
	Ledger *Ledger
	// Name of the venue in the ledger.
	Name string
	// FormatID formats the venue's order ids for the ledger; default decimal.
	FormatID func(int64) string
}

// Defaults of Options.
const (
	bookDepthDefault       = 220
	bookDepthMax           = 1000
	amendmentsMaxDefault   = 10_000
	fundingIntervalDefault = 8 * time.Hour
	flowStepDefault        = 100 * time.Millisecond
	credentialLenDefault   = 64
)

var (
	feeMakerDefault     = decimal.New(2, -4)
	feeTakerDefault     = decimal.New(5, -4)
	startBalanceDefault = decimal.NewFromInt(100_000)
)

func (o Options) withDefaults() (Options, error) {
	if len(o.Instruments) == 0 {
		return o, errors.New("simcore: no instruments")
	}
	if o.Clock == nil {
		o.Clock = NewClock(nil)
	}
	if o.FeeMaker.IsZero() {
		o.FeeMaker = feeMakerDefault
	}
	if o.FeeTaker.IsZero() {
		o.FeeTaker = feeTakerDefault
	}
	if o.StartBalance.IsZero() {
		o.StartBalance = startBalanceDefault
	}
	if o.Credentials == (CredentialFormat{}) {
		o.Credentials = CredentialFormat{KeyLen: credentialLenDefault, SecretLen: credentialLenDefault}
	}
	o.AmendmentsMax = cmp.Or(o.AmendmentsMax, amendmentsMaxDefault)
	o.FundingInterval = cmp.Or(o.FundingInterval, fundingIntervalDefault)
	o.FlowStep = cmp.Or(o.FlowStep, flowStepDefault)
	o.BookDepth = cmp.Or(o.BookDepth, bookDepthDefault)
	if o.BookDepth > bookDepthMax {
		return o, errors.New("simcore: BookDepth above 1000")
	}
	if o.FlowStep < 0 || o.TradesPerSecond < 0 {
		return o, errors.New("simcore: FlowStep or TradesPerSecond below zero")
	}
	if o.Ledger == nil {
		o.Ledger = NewLedger()
	}
	if o.FormatID == nil {
		o.FormatID = func(id int64) string { return strconv.FormatInt(id, 10) }
	}
	return o, nil
}
