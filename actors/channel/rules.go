package channel

import (
	"slices"
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
	ruleOpposite     = venues.RuleOpposite
)

// verdict is a rule that was looked at, with the values that decided.
type verdict struct {
	rule    string
	limit   string
	given   string
	refusal *venues.Error
}

// judge holds a signal against what can be decided when it comes in. The last
// verdict is the one that refuses, if any does. What depends on the position is
// the account's to decide, when the order is placed.
func judge(c *persistence.Channel, s *venues.Signal, fault *venues.Error) []verdict {
	var list []verdict
	for _, rule := range []func(*persistence.Channel, *venues.Signal) (verdict, bool){
		func(*persistence.Channel, *venues.Signal) (verdict, bool) {
			return verdict{rule: ruleInstrument, given: s.Symbol, refusal: fault}, fault != nil
		},
		judgeRemoved, judgePaused, judgeSymbol, judgeQty, judgeStop,
	} {
		v, applies := rule(c, s)
		if !applies {
			continue
		}
		list = append(list, v)
		if v.refusal != nil {
			break
		}
	}
	return list
}

func judgeRemoved(c *persistence.Channel, _ *venues.Signal) (verdict, bool) {
	return verdict{rule: ruleRemoved, refusal: refuse(ruleRemoved, "the channel was removed")}, !c.RemovedAt.IsZero()
}

func judgePaused(c *persistence.Channel, _ *venues.Signal) (verdict, bool) {
	return verdict{rule: rulePaused, refusal: refuse(rulePaused, "the channel is paused")}, c.Paused
}

// judgeSymbol: what has no symbol touches all of them, so a channel for some may
// not send it.
func judgeSymbol(c *persistence.Channel, s *venues.Signal) (verdict, bool) {
	if len(c.Rules.Symbols) == 0 || s.Action == venues.ActionNotify {
		return verdict{}, false
	}
	v := verdict{rule: ruleSymbols, limit: strings.Join(c.Rules.Symbols, " "), given: s.Symbol}
	if !slices.Contains(c.Rules.Symbols, s.Symbol) {
		v.refusal = venues.Errorf(venues.CodeSymbolNotTradable, "the channel may not trade this instrument").
			With("rule", ruleSymbols).With("symbol", s.Symbol)
	}
	return v, true
}

// judgeQty looks at the signal alone; the position with what is in flight is the
// account's.
func judgeQty(c *persistence.Channel, s *venues.Signal) (verdict, bool) {
	if !c.Rules.MaxQty.Valid || s.Action != venues.ActionOrder {
		return verdict{}, false
	}
	v := verdict{rule: ruleMaxQty, limit: venues.FormatDecimal(c.Rules.MaxQty.Decimal), given: venues.FormatDecimal(s.Qty.Decimal)}
	if s.Qty.Decimal.GreaterThan(c.Rules.MaxQty.Decimal) {
		v.refusal = refuse(ruleMaxQty, "the quantity is more than the channel may trade").With("limit", v.limit).With("given", v.given)
	}
	return v, true
}

func judgeStop(c *persistence.Channel, s *venues.Signal) (verdict, bool) {
	if !c.Rules.StopRequired || s.Action != venues.ActionOrder {
		return verdict{}, false
	}
	v := verdict{rule: ruleStopRequired, limit: "true"}
	if s.StopLoss.Valid {
		v.given = venues.FormatDecimal(s.StopLoss.Decimal)
	} else {
		v.refusal = refuse(ruleStopRequired, "the channel takes no order without a stopLoss").With("limit", "stopLoss").With("given", "none")
	}
	return v, true
}

func refuse(rule, message string) *venues.Error {
	return venues.Errorf(venues.CodeRiskRejected, "%s", message).With("rule", rule)
}

// fields of the row that tells of a verdict.
func (v *verdict) fields() []persistence.JournalField {
	list := []persistence.JournalField{{Name: "rule", Value: v.rule}}
	if v.limit != "" {
		list = append(list, persistence.JournalField{Name: "limit", Value: v.limit})
	}
	return append(list, persistence.JournalField{Name: "given", Value: v.given})
}

// expiry is when a signal is too old to be carried out.
func expiry(c *persistence.Channel, s *venues.Signal) time.Time {
	age := persistence.SignalAgeMarket
	if s.Type == venues.TypeLimit {
		age = persistence.SignalAgeLimit
	}
	if c.Rules.MaxAgeSec > 0 {
		age = time.Duration(c.Rules.MaxAgeSec) * time.Second
	}
	at := s.ReceivedAt.Add(age)
	// Only a channel that says how old a signal may be asks about its own time:
	// the clocks of charts are their own.
	if !s.SentAt.IsZero() && c.Rules.MaxAgeSec > 0 && s.SentAt.Add(age).Before(at) {
		at = s.SentAt.Add(age)
	}
	return at
}
