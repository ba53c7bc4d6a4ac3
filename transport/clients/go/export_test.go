package venuegate

// Operations returns the operations of the client, as method and path.
func Operations() []string {
	list := []operation{
		listInstruments, listVenues, listTickers, getBook, listTrades, listCandles, getAccount, listPositions, changeLeverage,
		closePosition, checkOrder, placeOrder, listOrders, cancelOrders, getOrder, amendOrder, cancelOrder, listFills, listEvents,
	}
	names := make([]string, len(list))
	for i, op := range list {
		names[i] = op.method + " " + op.path
	}
	return names
}
