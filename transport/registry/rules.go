package registry

import (
	"slices"
	"strconv"
	"strings"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// ruleSymbolsMax bounds the instruments that a channel names.
	ruleSymbolsMax = 200
	// signalAgeMaxSec bounds the age at which a signal may still be executed.
	signalAgeMaxSec = 24 * 60 * 60
)

// Rules are the rules of a channel, which limit what its signals may request. An absent
// rule does not limit.
type Rules struct {
	// Symbols that may be traded; empty is all.
	Symbols []string `json:"symbols"`
	// MaxQty is the largest position, in base coin, as a decimal string.
	MaxQty       *string `json:"maxQty"`
	StopRequired bool    `json:"stopRequired"`
	// Opposite is ignore, close, reverse or reject; empty sends the order
	// unchanged.
	Opposite persistence.OppositePolicy `json:"opposite"`
	// MaxAgeSec is the age after receipt at which a signal expires; zero is one
	// minute for market orders and ten for limit orders.
	MaxAgeSec int `json:"maxAgeSec"`
}

// parse validates rules and gives instruments their canonical names.
func (r *Rules) parse(known instruments) (persistence.ChannelRules, error) {
	rules := persistence.ChannelRules{StopRequired: r.StopRequired, Opposite: r.Opposite, MaxAgeSec: r.MaxAgeSec}
	if len(r.Symbols) > ruleSymbolsMax {
		return rules, api.FieldError("rules.symbols", api.RuleOutOfRange, "", "at most "+strconv.Itoa(ruleSymbolsMax))
	}
	for _, text := range r.Symbols {
		symbol, found := known.symbol("", text)
		if !found {
			return rules, api.FieldError("rules.symbols", api.RuleNotASymbol, text, "")
		}
		rules.Symbols = append(rules.Symbols, symbol)
	}
	rules.Symbols = slices.Compact(slices.Sorted(slices.Values(rules.Symbols)))
	if r.MaxQty != nil {
		d, err := parsePositive("rules.maxQty", *r.MaxQty, "such as 0.5")
		if err != nil {
			return rules, err
		}
		rules.MaxQty = venues.Some(d)
	}
	policies := []persistence.OppositePolicy{"", persistence.OppositeIgnore, persistence.OppositeClose, persistence.OppositeReverse, persistence.OppositeReject}
	if !slices.Contains(policies, r.Opposite) {
		return rules, api.FieldError("rules.opposite", api.RuleUnknownValue, string(r.Opposite), "ignore, close, reverse, reject")
	}
	if r.MaxAgeSec < 0 || r.MaxAgeSec > signalAgeMaxSec {
		return rules, api.FieldError("rules.maxAgeSec", api.RuleOutOfRange, strconv.Itoa(r.MaxAgeSec), "0 to "+strconv.Itoa(signalAgeMaxSec))
	}
	return rules, nil
}

func rulesOf(rules persistence.ChannelRules) Rules {
	return Rules{
		Symbols: rules.Symbols, MaxQty: formatOptional(rules.MaxQty), StopRequired: rules.StopRequired,
		Opposite: rules.Opposite, MaxAgeSec: rules.MaxAgeSec,
	}
}

// fields returns the rules for the journal.
func (r *Rules) fields() []persistence.JournalField {
	return []persistence.JournalField{
		field("symbols", strings.Join(r.Symbols, " ")), field("maxQty", orNone(r.MaxQty)), field("stopRequired", strconv.FormatBool(r.StopRequired)),
		field("opposite", string(r.Opposite)), field("maxAgeSec", strconv.Itoa(r.MaxAgeSec)),
	}
}
