package simcore

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// ClientIDScope says how long a client order id may not be used again.
type ClientIDScope uint8

// Scopes of client order ids.
const (
	// UniqueAmongOpen frees the id as soon as its order is closed.
	UniqueAmongOpen ClientIDScope = iota
	// UniqueForever never frees it.
	UniqueForever
)

// Options of an exchange. Zero values are the defaults that each field names.
type Options struct {
	// Instruments is the listing; at least one.
	Instruments []Instrument
	// Seed makes everything random repeatable.
	Seed uint64
	// Quiet leaves the books as still ladders that move only when told to.
	Quiet bool
	// Clock is the venue's clock; default the machine's.
	Clock *Clock
	// FeeMaker and FeeTaker of new accounts; default 0.0002 and 0.0005.
	FeeMaker, FeeTaker decimal.Decimal
	// FeesRound rounds fees to the nearest digit that money has, halves up;
	// otherwise they are cut off there.
	FeesRound bool
	// MarginHoldsFees makes margins include the estimated taker fees: of closing a
	// position at its bankruptcy price, and of opening and closing what an order
	// opens. Such margins are rounded up, others cut off.
	MarginHoldsFees bool
	// StartBalance of new accounts; default 100 000.
	StartBalance decimal.Decimal
	// Credentials is the shape of the venue's keys; default 64 characters each.
	Credentials CredentialFormat
	ClientIDs   ClientIDScope
	// AmendKeepsPriority lets an amendment keep its place in the queue where
	// the price is unchanged and the quantity not raised.
	AmendKeepsPriority bool
	// IsolatedTopUp lets the leverage of an isolated position be lowered: it takes
	// the margin that it lacks. Otherwise that is refused.
	IsolatedTopUp bool
	// CrossingCancels accepts a post-only order that would take, and a
	// fill-or-kill order that cannot be filled whole, and cancels it at once;
	// otherwise both are refused.
	CrossingCancels bool
	// AmendAboveFilled refuses to amend an order to a quantity that is filled
	// already; otherwise that cancels what is left of it.
	AmendAboveFilled bool
	// AmendmentsMax per order; default 10 000.
	AmendmentsMax int
	// TriggerDelay is the time between the trigger of a conditional order and
	// its order; zero is in the same step.
	TriggerDelay time.Duration
	// LiquidationByTiers takes a position of a high tier down by two tiers, as often
	// as it must, before the account loses all of it.
	LiquidationByTiers bool
	// LiquidationCountsFee counts the taker fee of closing at the mark price to what
	// an account must hold to keep its positions.
	LiquidationCountsFee bool
	// TriggeredKeepsID gives a triggered order the id of its conditional.
	TriggeredKeepsID bool
	// FundingInterval; default 8 h, aligned to midnight UTC.
	FundingInterval time.Duration
	// BookDepth is how many levels a side the house keeps; default 220.
	BookDepth int
	// Ledger receives every order; default a ledger in memory. Exchanges that
	// share one must have different names.
	Ledger *Ledger
	// Name of the venue in the ledger.
	Name string
	// FormatID spells the venue's order ids in the ledger; default decimal.
	FormatID func(int64) string
}

// Defaults of Options.
const (
	bookDepthDefault       = 220
	bookDepthMax           = 1000
	amendmentsMaxDefault   = 10_000
	fundingIntervalDefault = 8 * time.Hour
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
	o.BookDepth = cmp.Or(o.BookDepth, bookDepthDefault)
	if o.BookDepth > bookDepthMax {
		return o, errors.New("simcore: BookDepth above 1000")
	}
	if o.Ledger == nil {
		o.Ledger = NewLedger()
	}
	if o.FormatID == nil {
		o.FormatID = func(id int64) string { return strconv.FormatInt(id, 10) }
	}
	return o, nil
}
