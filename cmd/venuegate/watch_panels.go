package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	venuegate "venuegate/transport/clients/go"
	"venuegate/venues"
)

// screenLine is a line of the screen in one colour.
type screenLine struct{ text, colour string }

// panel shows one topic.
type panel interface {
	apply(m venuegate.Message) error
	// lines returns at most height lines.
	lines(height int) []screenLine
}

func newPanel(topic string) panel {
	kind, _, _ := strings.Cut(topic, ":")
	switch venues.TopicKind(kind) {
	case venues.TopicBook:
		return &ladder{venuegate.NewBook(topic)}
	case venues.TopicTrades:
		return &tape{}
	case venues.TopicOrders:
		return &recordTable{
			id:      []string{"orderId"},
			columns: []string{"updatedAt", "exchange", "symbol", "side", "type", "qty", "filledQty", "price", "avgPrice", "status", "orderId"},
		}
	case venues.TopicPositions:
		return &recordTable{
			id: []string{"exchange", "symbol", "side"}, goneAt: "qty",
			columns: []string{"exchange", "symbol", "side", "qty", "entryPrice", "markPrice", "unrealizedPnl", "stopLoss", "takeProfit"},
		}
	case venues.TopicAccount:
		return &recordTable{
			id:      []string{"exchange", "currency"},
			columns: []string{"exchange", "currency", "equity", "available", "usedMargin", "unrealizedPnl"},
		}
	case venues.TopicKline:
	}
	return &recordTable{id: []string{"start"}, columns: []string{"start", "open", "high", "low", "close", "volume", "closed"}}
}

// ladder shows an order book, the best levels in the middle.
type ladder struct{ book *venuegate.Book }

func (l *ladder) apply(m venuegate.Message) error { return l.book.Apply(m) }

// barMax is the width of the bar of the largest quantity shown.
const barMax = 30

func (l *ladder) lines(height int) []screenLine {
	if !l.book.Current() {
		return []screenLine{{"not current; waiting for a snapshot", ansiYellow}}
	}
	levels := max(1, (height-1)/2)
	asks, bids := l.book.Asks(), l.book.Bids()
	asks, bids = asks[:min(levels, len(asks))], bids[:min(levels, len(bids))]
	most, width := decimal.Zero, 0
	for _, level := range slices.Concat(asks, bids) {
		most, width = decimal.Max(most, level.Qty), max(width, len(level.Price.String()))
	}
	shown := func(level venuegate.Level, colour string) screenLine {
		bar := 0
		if most.IsPositive() {
			bar = int(level.Qty.Mul(decimal.NewFromInt(barMax)).Div(most).Ceil().IntPart())
		}
		return screenLine{fmt.Sprintf("%*s  %14s  %s", width, level.Price, level.Qty, strings.Repeat("▪", bar)), colour}
	}
	var lines []screenLine
	for _, level := range slices.Backward(asks) {
		lines = append(lines, shown(level, ansiRed))
	}
	if len(asks) > 0 && len(bids) > 0 {
		lines = append(lines, screenLine{fmt.Sprintf("%*s  spread %s", width, "", asks[0].Price.Sub(bids[0].Price)), ansiDim})
	}
	for _, level := range bids {
		lines = append(lines, shown(level, ansiGreen))
	}
	return lines
}

// tapeMax bounds the trades that a tape keeps.
const tapeMax = 500

// tape shows trades, the newest first.
type tape struct{ shown []screenLine }

func (t *tape) add(text, colour string) {
	t.shown = slices.Insert(t.shown, 0, screenLine{text, colour})
	t.shown = t.shown[:min(tapeMax, len(t.shown))]
}

func (t *tape) apply(m venuegate.Message) error {
	if m.Type == venuegate.TypeGap {
		missed := "some"
		if m.Missed != nil {
			missed = fmt.Sprint(*m.Missed)
		}
		t.add(missed+" trades are missing", ansiYellow)
		return nil
	}
	trades, err := venuegate.Records[map[string]any](m)
	for _, trade := range trades {
		colour := ansiGreen
		if trade["side"] == string(venues.Sell) {
			colour = ansiRed
		}
		t.add(fmt.Sprintf("%-12s  %-4s  %14s  %14s", cellOf(trade["ts"]), cellOf(trade["side"]), cellOf(trade["price"]), cellOf(trade["qty"])), colour)
	}
	return err
}

func (t *tape) lines(height int) []screenLine { return t.shown[:min(height, len(t.shown))] }

// recordsMax bounds the records that a table keeps.
const recordsMax = 500

// recordTable shows the newest records of a topic.
type recordTable struct {
	// id are the members that identify a record, columns those that are shown.
	id, columns []string
	// goneAt, if set, is the member that is zero once a record has ended.
	goneAt  string
	records map[string]shownRecord
	changes int
}

// shownRecord is a record with the number of its latest change.
type shownRecord struct {
	members map[string]any
	change  int
}

func (t *recordTable) apply(m venuegate.Message) error {
	records, err := venuegate.Records[map[string]any](m)
	if err != nil {
		return err
	}
	if t.records == nil || m.Type == venuegate.TypeSnapshot {
		t.records = map[string]shownRecord{}
	}
	for _, members := range records {
		var id strings.Builder
		for _, name := range t.id {
			fmt.Fprintf(&id, "%v|", members[name])
		}
		if t.goneAt != "" && members[t.goneAt] == "0" {
			delete(t.records, id.String())
			continue
		}
		t.changes++
		t.records[id.String()] = shownRecord{members, t.changes}
	}
	for len(t.records) > recordsMax {
		oldest := t.sorted()[len(t.records)-1]
		maps.DeleteFunc(t.records, func(_ string, r shownRecord) bool { return r.change == oldest.change })
	}
	return nil
}

// sorted returns the records, the latest change first.
func (t *recordTable) sorted() []shownRecord {
	return slices.SortedFunc(maps.Values(t.records), func(a, b shownRecord) int { return cmp.Compare(b.change, a.change) })
}

func (t *recordTable) lines(height int) []screenLine {
	if len(t.records) == 0 {
		return []screenLine{{"none", ansiDim}}
	}
	records := t.sorted()
	rows := make([][]string, 1, len(records)+1)
	rows[0] = t.columns
	for _, r := range records[:min(len(records), max(0, height-1))] {
		row := make([]string, len(t.columns))
		for i, column := range t.columns {
			row[i] = cellOf(r.members[column])
		}
		rows = append(rows, row)
	}
	var text strings.Builder
	_ = (&output{Writer: &text}).printTable(rows) // a builder takes everything
	var lines []screenLine
	for line := range strings.Lines(text.String()) {
		lines = append(lines, screenLine{text: strings.TrimRight(line, "\n")})
	}
	lines[0].colour = ansiBold
	return lines
}

// cellOf returns a member as people read it: a time of today without its date.
func cellOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.Format("15:04:05.000")
		}
		return v
	default:
		return fmt.Sprint(v)
	}
}
