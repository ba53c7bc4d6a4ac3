package simnet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// List completes the rows of a venue's listing. It returns copies of the rows by
// symbol, and the symbols and their instruments in the order of the rows.
func List[Row any](rows []Row, complete func(Row) Row, instrument func(*Row) simcore.Instrument) (
	bySymbol map[string]*Row, symbols []string, instruments []simcore.Instrument,
) {
	bySymbol = make(map[string]*Row, len(rows))
	for _, row := range rows {
		row = complete(row)
		i := instrument(&row)
		bySymbol[i.Symbol] = &row
		symbols, instruments = append(symbols, i.Symbol), append(instruments, i)
	}
	return bySymbol, symbols, instruments
}

// Resize returns the first count rows of a listing, all of them without a count. Beyond its end
// follow copies of its rows in turn, as copied returns them for the n-th copy and its coin.
func Resize[Row any](rows []Row, count int, copied func(row Row, coin string, n int) Row) []Row {
	if count <= 0 {
		return rows
	}
	sized := slices.Clone(rows[:min(count, len(rows))])
	for n := 1; len(sized) < count; n++ {
		sized = append(sized, copied(rows[(n-1)%len(rows)], "SIM"+strconv.Itoa(n), n))
	}
	return sized
}

// Table parses a listing table: a line of column names and a line for each
// instrument, its values separated by spaces. A dash is an empty value. A line of
// another length is a programming error and panics.
func Table(text string) []map[string]string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	names := strings.Fields(lines[0])
	rows := make([]map[string]string, 0, len(lines)-1)
	for _, line := range lines[1:] {
		values := strings.Fields(line)
		if len(values) != len(names) {
			panic("simnet: listing table: " + line)
		}
		row := make(map[string]string, len(names))
		for i, name := range names {
			row[name] = strings.TrimSuffix(values[i], "-")
		}
		rows = append(rows, row)
	}
	return rows
}

// Integer parses a whole number of a [Table]; anything else panics.
func Integer(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("simnet: listing table: " + err.Error())
	}
	return n
}

// Tier is a risk tier of a venue: the leverage that it allows, the notional up to
// which it holds, and its maintenance rate.
type Tier struct {
	Leverage  int
	Cap, Rate string
}

// Tiers parses a table of tiers with the columns leverage, cap and rate.
func Tiers(table string) []Tier {
	rows := Table(table)
	tiers := make([]Tier, 0, len(rows))
	for _, row := range rows {
		tiers = append(tiers, Tier{Leverage: int(Integer(row["leverage"])), Cap: row["cap"], Rate: row["rate"]})
	}
	return tiers
}

// Brackets converts tiers into the brackets of an instrument. The rate of a
// cumulative tier holds only for the notional within the tier, that of others for
// the whole position.
func Brackets(tiers []Tier, cumulative bool) []simcore.Bracket {
	list := make([]simcore.Bracket, len(tiers))
	floor, cum, rate := decimal.Zero, decimal.Zero, decimal.Zero
	for i, t := range tiers {
		next := venues.MustDecimal(t.Rate)
		if cumulative && i > 0 {
			cum = cum.Add(floor.Mul(next.Sub(rate)))
		}
		list[i] = simcore.Bracket{
			LeverageMax: t.Leverage, NotionalFloor: floor, NotionalCap: venues.MustDecimal(t.Cap),
			MaintenanceRate: next, MaintenanceCum: cum,
		}
		floor, rate = list[i].NotionalCap, next
	}
	return list
}

// BookDelta returns the levels that turn one side of a book into a later one, best
// first: new and changed levels in full, removed ones with a quantity of zero.
func BookDelta(before, after []simcore.Level, side simcore.Side) []simcore.Level {
	delta := []simcore.Level{}
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		order := 0
		switch {
		case i == len(before):
			order = 1
		case j == len(after):
			order = -1
		default:
			order = before[i].Price.Cmp(after[j].Price)
			if side == simcore.Buy {
				order = -order
			}
		}
		switch {
		case order < 0:
			delta = append(delta, simcore.Level{Price: before[i].Price})
			i++
		case order > 0:
			delta = append(delta, after[j])
			j++
		default:
			if !before[i].Qty.Equal(after[j].Qty) {
				delta = append(delta, after[j])
			}
			i, j = i+1, j+1
		}
	}
	return delta
}
