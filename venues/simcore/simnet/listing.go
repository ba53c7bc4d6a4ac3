package simnet

import "venuegate/venues/simcore"

// List completes the rows of a venue's listing: copies of its own by symbol, and
// the symbols and their instruments in the order of the rows.
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
