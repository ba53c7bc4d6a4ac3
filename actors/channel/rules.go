package channel

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Rules of a channel, as details.rule and in the journal.
const (
	ruleInstrument   = "instrument"
	rulePaused       = "paused"
	ruleRemoved      = "removed"
	ruleTestMode     = "test_mode"
	ruleSymbols      = "symbols"
	ruleMaxQty       = venues.RuleMaxPosition
	ruleStopRequired = "stop_required"
	ruleMaxAge       = "max_age"
	ruleOpposite     = venues.RuleOpposite
)

// ruleResult is the result of one rule, with the values that decided it.
type ruleResult struct {
	rule      string
	limit     string
	given     string
	rejection *venues.Error
}

// checkRules checks everything that can be decided when a signal is received. If a
// rule rejects the signal, it is the last result. What depends on the position is
// checked by the account when the order is placed.
func checkRules(c *persistence.Channel, s *venues.Signal, rejection *venues.Error) []ruleResult {
	list := appliedRules(c, s, rejection)
	if i := slices.IndexFunc(list, func(v ruleResult) bool { return v.rejection != nil }); i >= 0 {
		return list[:i+1]
	}
	return list
}

// appliedRules returns the results of all rules that apply to a signal.
func appliedRules(c *persistence.Channel, s *venues.Signal, rejection *venues.Error) []ruleResult {
	var list []ruleResult
	for _, rule := range []func(*persistence.Channel, *venues.Signal) (ruleResult, bool){
		func(*persistence.Channel, *venues.Signal) (ruleResult, bool) {
			return ruleResult{rule: ruleInstrument, given: s.Symbol, rejection: rejection}, rejection != nil
		},
		checkRemoved, checkPaused, checkAge, checkSymbol, checkQty, checkStop,
	} {
		if v, applies := rule(c, s); applies {
			list = append(list, v)
		}
	}
	return list
}

func checkRemoved(c *persistence.Channel, _ *venues.Signal) (ruleResult, bool) {
	return ruleResult{rule: ruleRemoved, rejection: rejected(ruleRemoved, "the channel was removed")}, !c.RemovedAt.IsZero()
}

func checkPaused(c *persistence.Channel, _ *venues.Signal) (ruleResult, bool) {
	return ruleResult{rule: rulePaused, rejection: rejected(rulePaused, "the channel is paused")}, c.Paused
}

// checkAge checks the age by the time that the sender states. A signal that becomes too old
// later expires.
func checkAge(c *persistence.Channel, s *venues.Signal) (ruleResult, bool) {
	if s.SentAt.IsZero() || !c.ReadsTime() {
		return ruleResult{}, false
	}
	limit, age := time.Duration(c.Rules.MaxAgeSec)*time.Second, s.ReceivedAt.Sub(s.SentAt.Time)
	v := ruleResult{rule: ruleMaxAge, limit: strconv.Itoa(c.Rules.MaxAgeSec), given: strconv.FormatInt(int64(age/time.Second), 10)}
	if age >= limit {
		v.rejection = rejected(ruleMaxAge, "the signal is older than the channel accepts").With("limit", v.limit).With("given", v.given)
	}
	return v, true
}

// checkSymbol checks the instrument. A signal without a symbol concerns all
// instruments, so a channel that is limited to some may not send it.
func checkSymbol(c *persistence.Channel, s *venues.Signal) (ruleResult, bool) {
	if len(c.Rules.Symbols) == 0 || s.Action == venues.ActionNotify {
		return ruleResult{}, false
	}
	v := ruleResult{rule: ruleSymbols, limit: strings.Join(c.Rules.Symbols, " "), given: s.Symbol}
	if !slices.Contains(c.Rules.Symbols, s.Symbol) {
		v.rejection = venues.Errorf(venues.CodeSymbolNotTradable, "the channel may not trade this instrument").
			With("rule", ruleSymbols).With("symbol", s.Symbol)
	}
	return v, true
}

// checkQty checks the signal's own quantity; the account checks the position
// including orders in flight.
func checkQty(c *persistence.Channel, s *venues.Signal) (ruleResult, bool) {
	if !c.Rules.MaxQty.Valid || s.Action != venues.ActionOrder {
		return ruleResult{}, false
	}
	v := ruleResult{rule: ruleMaxQty, limit: venues.FormatDecimal(c.Rules.MaxQty.Decimal), given: venues.FormatDecimal(s.Qty.Decimal)}
	if s.Qty.Decimal.GreaterThan(c.Rules.MaxQty.Decimal) {
		v.rejection = rejected(ruleMaxQty, "the quantity is more than the channel may trade").With("limit", v.limit).With("given", v.given)
	}
	return v, true
}

func checkStop(c *persistence.Channel, s *venues.Signal) (ruleResult, bool) {
	if !c.Rules.StopRequired || s.Action != venues.ActionOrder {
		return ruleResult{}, false
	}
	v := ruleResult{rule: ruleStopRequired, limit: "true"}
	if s.StopLoss.Valid {
		v.given = venues.FormatDecimal(s.StopLoss.Decimal)
	} else {
		v.rejection = rejected(ruleStopRequired, "the channel requires a stopLoss").With("limit", "stopLoss").With("given", "none")
	}
	return v, true
}

func rejected(rule, message string) *venues.Error {
	return venues.Errorf(venues.CodeRiskRejected, "%s", message).With("rule", rule)
}

// fields returns the fields of the row that records the result.
func (v *ruleResult) fields() []persistence.JournalField {
	list := []persistence.JournalField{{Name: "rule", Value: v.rule}}
	if v.limit != "" {
		list = append(list, persistence.JournalField{Name: "limit", Value: v.limit})
	}
	return append(list, persistence.JournalField{Name: "given", Value: v.given})
}

// expiry returns when a signal becomes too old to be carried out.
func expiry(c *persistence.Channel, s *venues.Signal) time.Time {
	age := persistence.SignalAgeMarket
	if s.Type == venues.TypeLimit {
		age = persistence.SignalAgeLimit
	}
	if c.Rules.MaxAgeSec > 0 {
		age = time.Duration(c.Rules.MaxAgeSec) * time.Second
	}
	at := s.ReceivedAt.Add(age)
	if !s.SentAt.IsZero() && c.ReadsTime() && s.SentAt.Add(age).Before(at) {
		at = s.SentAt.Add(age)
	}
	return at
}
