package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"venuegate/persistence"
	"venuegate/venues"
)

// headings of the columns of a closed trade.
var headings = []string{
	"Time", "Instrument", "Direction", "Quantity", "Entry price", "Exit price", "Fee", "P&L", "Comment", "Event ID",
}

const (
	// lastColumn has the event id, which detects repeats.
	lastColumn   = "J"
	lastHeading  = "Event ID"
	cellRunesMax = 1000
	// cellDigitsMax is the number of significant digits that every spreadsheet program keeps.
	cellDigitsMax  = 15
	formulaLeaders = "=+-@\t\r＝＋－＠"
)

// errNoTrade is returned for an event that is not a closed trade.
var errNoTrade = errors.New("rows are made only of " + string(persistence.EventPositionClosed))

// cell is a text, or the exact decimal text of a number.
type cell struct {
	text   string
	number bool
}

// tradeRow returns the row of a closed trade: a cell for each heading.
func tradeRow(e persistence.Event) ([]cell, error) {
	if e.Type != persistence.EventPositionClosed {
		return nil, fmt.Errorf("%s: %w", short(string(e.Type)), errNoTrade)
	}
	var p payload
	if err := json.Unmarshal(e.Data, &p); err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	instrument := p.Symbol
	if p.Exchange != "" {
		instrument = p.Exchange + ":" + p.Symbol
	}
	return []cell{
		textCell(e.CreatedAt.UTC().Format(venues.TimeFormat)), textCell(instrument), textCell(p.Side),
		numberCell(p.Qty), numberCell(p.EntryPrice), numberCell(p.ExitPrice), numberCell(p.Fee), numberCell(p.RealizedPnl),
		textCell(p.Comment), textCell(e.ID),
	}, nil
}

// plainDecimal matches the decimals of this service, which have no exponent.
var plainDecimal = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,40})?$`)

// KeepsDigits reports whether every spreadsheet program keeps all digits of a decimal that is
// the number of a cell.
func KeepsDigits(decimal string) bool {
	digits := strings.Trim(strings.Replace(strings.TrimPrefix(decimal, "-"), ".", "", 1), "0")
	return len(digits) <= cellDigitsMax
}

// numberCell returns a number if the text is one that programs do not round, else a text.
func numberCell(text string) cell {
	if plainDecimal.MatchString(text) {
		return cell{text: text, number: KeepsDigits(text)}
	}
	return textCell(text)
}

// textCell returns a text that no program evaluates as a formula, also after an export
// to CSV.
func textCell(text string) cell {
	text = cut(clean(text), cellRunesMax)
	if text != "" && strings.ContainsRune(formulaLeaders, []rune(text)[0]) {
		text = "'" + text
	}
	return cell{text: text}
}
