package account

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/actors/account/protection"
	"venuegate/actors/account/risk"
	"venuegate/venues"
)

// fundsWaitMax bounds how long Check and Risk wait for a reading of balances and positions.
const fundsWaitMax = time.Second

// marginPlaces are the decimal places to which a margin is rounded up.
const marginPlaces = 8

// checkOrder requests the results of the checks of an order, which is not placed.
type checkOrder struct {
	actors.Reply[venues.OrderCheck]
	order placeOrder // without a reply
}

type replyCheck = reply[venues.OrderCheck]

// admit checks an order before anything is stored or sent, and returns the first rejection.
func (s *state) admit(step stepContext, in *placeOrder) *venues.Error {
	rejection := s.admitsAny(step, in)
	if rejection != nil {
		return rejection
	}
	s.checks(step, in, func(r venues.RuleCheck) {
		if rejection == nil {
			rejection = r.Rejection
		}
	})
	return rejection
}

// check answers with the results of all checks of an order. Nothing is stored.
func (s *state) check(step stepContext, in checkOrder) {
	if rejection := s.admitsAny(step, &in.order); rejection != nil {
		s.after(replyCheck{to: in.Reply, err: rejection})
		return
	}
	order := in.order.cmd
	result := venues.OrderCheck{Order: &order, Notional: risk.Notional(&order.OrderSpec, in.order.mark)}
	s.checks(step, &in.order, result.Add)
	s.after(replyCheck{to: in.Reply, value: result})
}

// admitsAny returns maintenance if the account takes no order now.
func (s *state) admitsAny(step stepContext, in *placeOrder) *venues.Error {
	if !s.ready || deadline.Passed(in.cmd.Deadline, step.now) {
		return maintenance(s.exchange)
	}
	return nil
}

// checks reports the result of every check of an order. The first rejection is the one with
// which the order is answered. Section Extending of the package page lists where a new limit
// belongs.
func (s *state) checks(step stepContext, in *placeOrder, report func(venues.RuleCheck)) {
	spec := &in.cmd.OrderSpec
	if in.instrument == nil {
		report(venues.RuleCheck{Rule: string(venues.CodeSymbolNotTradable), Rejection: notListed(spec.Symbol, s.exchange)})
	} else {
		report(in.instrument.CheckStatus(spec.ReduceOnly))
		report(venues.RuleCheck{Rejection: in.instrument.CheckTerms(spec, in.mark)})
		report(venues.RuleCheck{Rejection: protection.CheckPrices(spec, in.mark)})
		report(venues.RuleCheck{Rejection: protection.CheckLegQty(in.instrument, spec, s.caps.AttachedProtection)})
	}
	if s.caps.CheckOrder != nil {
		report(venues.RuleCheck{Rejection: s.caps.CheckOrder(spec)})
	}
	s.risk.Admit(s.forRisk(step), spec, in.mark, report)
	s.risk.AdmitPosition(s.forRisk(step), &in.cmd, report)
	if len(s.live) >= UnfinishedMax && s.unfinishedCount() >= UnfinishedMax {
		report(venues.RuleCheck{
			Rule: risk.RuleMaxOpenOrders, Limit: strconv.Itoa(UnfinishedMax), Given: strconv.Itoa(s.unfinishedCount() + 1),
			Rejection: venues.Errorf(venues.CodeRiskRejected, "too many open orders").
				With("rule", risk.RuleMaxOpenOrders).With("limit", UnfinishedMax),
		})
	}
}

// Check returns the results of the checks that Place makes of an order, and places nothing. It
// reads balances and positions as Balances does, for at most fundsWaitMax.
func (c Client) Check(ctx context.Context, cmd venues.PlaceOrder) (venues.OrderCheck, error) {
	instrument, _ := c.market.Instrument(cmd.Symbol)
	if instrument != nil {
		cmd.Symbol = instrument.Symbol
	}
	var result venues.OrderCheck
	for range placeTriesMax {
		var err error
		result, err = actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.OrderCheck]) any {
			return checkOrder{reply, placeOrder{cmd: cmd, instrument: instrument, mark: c.market.Mark(cmd.Symbol)}}
		})
		if err != nil {
			return venues.OrderCheck{}, c.readError(err)
		}
		if !hasUnpriced(result.Rules) || !c.awaitMark(ctx, cmd.Symbol) {
			break
		}
	}
	if instrument != nil {
		c.addFunds(ctx, &result, instrument.SettleCurrency)
	}
	return result, nil
}

// hasUnpriced reports whether an order breaks a rule because its notional is unknown.
func hasUnpriced(rules []venues.RuleCheck) bool {
	return slices.ContainsFunc(rules, func(r venues.RuleCheck) bool { return r.Rejection != nil && isUnpriced(r.Rejection) })
}

// addFunds sets the available balance in a currency, and the margin where it is known: zero if
// the order only reduces, else by the leverage of the open position on its side.
func (c Client) addFunds(ctx context.Context, result *venues.OrderCheck, currency string) {
	order := result.Order
	if order.ReduceOnly {
		result.Margin = venues.Some(decimal.Zero)
	}
	ctx, cancel := context.WithTimeout(ctx, fundsWaitMax)
	defer cancel()
	funds, err := c.funds(ctx, bothParts, false)
	if err != nil {
		return // not known
	}
	for _, b := range funds.Balances {
		if b.Currency == currency {
			result.Available = venues.Some(b.Available)
		}
	}
	for _, p := range funds.Positions {
		if !order.ReduceOnly && p.Symbol == order.Symbol && p.Side == order.Side.Opens() {
			result.Margin = marginOf(result.Notional, p.Leverage)
		}
	}
}

// marginOf returns the initial margin of a notional, if it and the leverage are known.
func marginOf(notional, leverage venues.Optional) venues.Optional {
	if !notional.Valid || !leverage.Valid || !leverage.Decimal.IsPositive() {
		return venues.Optional{}
	}
	return venues.Some(notional.Decimal.DivRound(leverage.Decimal, 2*marginPlaces).RoundUp(marginPlaces))
}
