package notify

import (
	"encoding/json"
	"strings"
	"unicode/utf16"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// messageUnitsMax is the length limit of a text of the Bot API ("sendMessage": 4096
	// characters, counted in UTF-16 code units).
	messageUnitsMax = 4096
	// memberRunesMax bounds the text of one member of an event.
	memberRunesMax = 1000
)

// payload has the members of all events. A member that an event does not have, or
// that is null, is empty.
type payload struct {
	OrderID       string `json:"orderId"`
	Exchange      string `json:"exchange"`
	Symbol        string `json:"symbol"`
	Side          string `json:"side"`
	Qty           string `json:"qty"`
	AvgPrice      string `json:"avgPrice"`
	Fee           string `json:"fee"`
	FeeCurrency   string `json:"feeCurrency"`
	Source        string `json:"source"`
	Comment       string `json:"comment"`
	LastQty       string `json:"lastQty"`
	LastPrice     string `json:"lastPrice"`
	FilledQty     string `json:"filledQty"`
	RemainingQty  string `json:"remainingQty"`
	EntryPrice    string `json:"entryPrice"`
	ExitPrice     string `json:"exitPrice"`
	RealizedPnl   string `json:"realizedPnl"`
	Reason        string `json:"reason"`
	Kind          string `json:"kind"`
	TriggerPrice  string `json:"triggerPrice"`
	Price         string `json:"price"`
	Limit         string `json:"limit"`
	Threshold     string `json:"threshold"`
	Actual        string `json:"actual"`
	Action        string `json:"action"`
	Channel       string `json:"channel"`
	conditionPart `json:"condition"`
}

type conditionPart struct {
	Field string `json:"field"`
	Op    string `json:"op"`
	Value string `json:"value"`
}

// message returns the text of an event: a headline, its values, the comment and the
// time. The headline of an unknown or malformed event is its type.
func message(e persistence.Event) string {
	var p payload
	lines := &lines{}
	if err := json.Unmarshal(e.Data, &p); err == nil {
		lines.event(e.Type, &p)
	}
	if len(*lines) == 0 {
		lines.add(string(e.Type))
	}
	lines.add("Comment: ", p.Comment)
	lines.add(e.CreatedAt.UTC().Format(venues.TimeFormat))
	return cutUnits(strings.Join(*lines, "\n"))
}

// lines are the lines of a text. Each is cleaned, so that only this package adds line
// breaks.
type lines []string

// add appends a line of a caption and a value, unless the value is empty.
func (l *lines) add(parts ...string) {
	if last := parts[len(parts)-1]; strings.TrimSpace(last) == "" {
		return
	}
	for i, part := range parts {
		parts[i] = cut(part, memberRunesMax)
	}
	if line := clean(strings.Join(parts, "")); line != "" {
		*l = append(*l, line)
	}
}

func (l *lines) event(kind persistence.EventType, p *payload) {
	switch kind {
	case persistence.EventOrderFilled:
		l.add("Order filled: ", p.side(p.Qty), p.instrument())
		l.add("Average price: ", p.AvgPrice)
		l.add("Fee: ", p.fee())
	case persistence.EventOrderPartiallyFilled:
		l.add("Order partially filled: ", p.side(p.LastQty), p.instrument())
		l.add("Price: ", p.LastPrice)
		l.add("Filled: ", p.FilledQty, " of ", p.Qty)
	case persistence.EventPositionClosed:
		l.add("Position closed: ", p.side(p.Qty), p.instrument())
		l.add("Entry: ", p.EntryPrice)
		l.add("Exit: ", p.ExitPrice)
		l.add("P&L: ", p.RealizedPnl)
		l.add("Fee: ", p.Fee)
		l.add("Reason: ", words(p.Reason))
	case persistence.EventStopTriggered:
		l.add("Triggered: ", words(p.Kind), " of ", p.instrument())
		l.add("Trigger price: ", p.TriggerPrice)
	case persistence.EventAlertFired:
		l.add("Alert: ", p.instrument())
		l.add(p.Field, " price ", words(p.Op), " ", p.Value)
		l.add("Price: ", p.Price)
	case persistence.EventRiskLimitReached:
		l.add("Risk limit reached: ", words(p.Limit)+p.onExchange())
		l.add("Threshold: ", p.Threshold)
		l.add("Actual: ", p.Actual)
		l.add("Action: ", words(p.Action))
	case persistence.EventNotification:
		l.add("Signal of ", p.Channel)
		if p.Symbol != "" {
			l.add("Instrument: ", p.instrument())
		}
	default:
	}
	if p.OrderID != "" {
		l.add("Order: ", p.OrderID)
	}
}

func (p *payload) side(qty string) string { return p.Side + " " + qty + " " }

func (p *payload) instrument() string { return p.Symbol + p.onExchange() }

func (p *payload) onExchange() string {
	if p.Exchange == "" {
		return ""
	}
	return " on " + p.Exchange
}

func (p *payload) fee() string {
	if p.Fee == "" {
		return ""
	}
	return p.Fee + " " + p.FeeCurrency
}

// words returns a code of the interface with spaces.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

// cutUnits cuts a text to messageUnitsMax.
func cutUnits(text string) string {
	units := utf16.Encode([]rune(text))
	if len(units) <= messageUnitsMax {
		return text
	}
	units = units[:messageUnitsMax-1]
	if utf16.IsSurrogate(rune(units[len(units)-1])) && units[len(units)-1] < 0xdc00 {
		units = units[:len(units)-1] // half a character
	}
	return string(utf16.Decode(units)) + "…"
}
