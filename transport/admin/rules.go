package admin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// ruleSymbolsMax bounds the instruments that a channel names.
	ruleSymbolsMax = 200
	// signalAgeMaxSec is the oldest that a signal may be carried out.
	signalAgeMaxSec = 24 * 60 * 60
)

// Rules of a channel, which win over what a signal asks for. What is absent does
// not limit.
type Rules struct {
	// Symbols that may be traded; empty is all.
	Symbols []string `json:"symbols"`
	// MaxQty is the largest position in base coin, as a decimal string.
	MaxQty       *string `json:"maxQty"`
	StopRequired bool    `json:"stopRequired"`
	// Opposite is ignore, close, reverse or reject; empty sends the order as it
	// is.
	Opposite persistence.OppositePolicy `json:"opposite"`
	// MaxAgeSec is how late after receipt a signal is carried out; zero is a
	// minute for market orders, ten for limit orders.
	MaxAgeSec int `json:"maxAgeSec"`
}

// parseRules reads rules strictly and gives instruments their canonical names.
func (r *Registry) parseRules(in Rules) (persistence.ChannelRules, error) {
	rules := persistence.ChannelRules{StopRequired: in.StopRequired, Opposite: in.Opposite, MaxAgeSec: in.MaxAgeSec}
	if len(in.Symbols) > ruleSymbolsMax {
		return rules, api.Fault("rules.symbols", api.RuleOutOfRange, "", "at most "+strconv.Itoa(ruleSymbolsMax))
	}
	for _, text := range in.Symbols {
		symbol, known := r.Directory.Symbol("", text)
		if !known {
			return rules, api.Fault("rules.symbols", api.RuleNotASymbol, text, "")
		}
		rules.Symbols = append(rules.Symbols, symbol)
	}
	rules.Symbols = slices.Compact(slices.Sorted(slices.Values(rules.Symbols)))
	if in.MaxQty != nil {
		d, err := positive("rules.maxQty", *in.MaxQty, "such as 0.5")
		if err != nil {
			return rules, err
		}
		rules.MaxQty = venues.Some(d)
	}
	policies := []persistence.OppositePolicy{"", persistence.OppositeIgnore, persistence.OppositeClose, persistence.OppositeReverse, persistence.OppositeReject}
	if !slices.Contains(policies, in.Opposite) {
		return rules, api.Fault("rules.opposite", api.RuleUnknownValue, string(in.Opposite), "ignore, close, reverse, reject")
	}
	if in.MaxAgeSec < 0 || in.MaxAgeSec > signalAgeMaxSec {
		return rules, api.Fault("rules.maxAgeSec", api.RuleOutOfRange, strconv.Itoa(in.MaxAgeSec), "0 to "+strconv.Itoa(signalAgeMaxSec))
	}
	return rules, nil
}

// positive reads a decimal above zero of a body.
func positive(field, text, example string) (decimal.Decimal, error) {
	d, err := venues.ParseDecimal(text)
	if err != nil {
		return d, api.Fault(field, api.RuleNotADecimal, text, example)
	}
	if !d.IsPositive() {
		return d, api.Fault(field, api.RuleNotPositive, text, example)
	}
	return d, nil
}

func rulesOf(rules persistence.ChannelRules) Rules {
	shown := Rules{Symbols: rules.Symbols, StopRequired: rules.StopRequired, Opposite: rules.Opposite, MaxAgeSec: rules.MaxAgeSec}
	if rules.MaxQty.Valid {
		text := venues.FormatDecimal(rules.MaxQty.Decimal)
		shown.MaxQty = &text
	}
	return shown
}

// fields are the rules for the journal.
func (r *Rules) fields() []persistence.JournalField {
	qty := "none"
	if r.MaxQty != nil {
		qty = *r.MaxQty
	}
	return []persistence.JournalField{
		field("symbols", strings.Join(r.Symbols, " ")), field("maxQty", qty), field("stopRequired", strconv.FormatBool(r.StopRequired)),
		field("opposite", string(r.Opposite)), field("maxAgeSec", strconv.Itoa(r.MaxAgeSec)),
	}
}
