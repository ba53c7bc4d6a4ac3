package main

import "strings"

// columnKind is how spreadsheets show a column.
type columnKind int

const (
	columnText columnKind = iota
	columnNumber
	columnTime
)

// numberColumns are the columns of exports with decimals, without the names of the outer objects.
var numberColumns = map[string]bool{
	"qty": true, "filledQty": true, "remainingQty": true, "price": true, "triggerPrice": true, "avgPrice": true,
	"stopLoss": true, "takeProfit": true, "fee": true, "realizedPnl": true, "entryPrice": true, "exitPrice": true,
	"heldSeconds": true,
}

// kindOfColumn returns the kind of a column. Ids that consist of digits are texts: as numbers
// they would be rounded, or lose their zeros.
func kindOfColumn(column string) columnKind {
	name := column[strings.LastIndexByte(column, '.')+1:]
	switch {
	case numberColumns[name]:
		return columnNumber
	case strings.HasSuffix(name, "At"):
		return columnTime
	}
	return columnText
}
