package api

import "venuegate/venues"

// AppendOrders appends a message of the orders channel: the list of open orders
// in a snapshot, one order in an update.
func (StreamEncoder) AppendOrders(dst []byte, m *venues.OrdersMessage) []byte {
	return appendRecords(dst, &m.MessageHead, m.Orders, AppendOrder)
}

// AppendPositions appends a message of the positions channel. A closed position
// is told once, with quantity zero and a reason.
func (StreamEncoder) AppendPositions(dst []byte, m *venues.PositionsMessage) []byte {
	return appendRecords(dst, &m.MessageHead, m.Positions, AppendPosition)
}

// AppendAccount appends a message of the account channel.
func (StreamEncoder) AppendAccount(dst []byte, m *venues.AccountMessage) []byte {
	return appendRecords(dst, &m.MessageHead, m.Balances, AppendBalance)
}

// appendRecords writes `data` as a list in a snapshot and as the one record in
// an update.
func appendRecords[T any](dst []byte, head *venues.MessageHead, records []T, each func([]byte, *T) []byte) []byte {
	dst = appendHead(dst, head)
	dst = append(dst, `,"data":`...)
	switch {
	case head.Type == venues.MessageSnapshot:
		dst = AppendArray(dst, records, each)
	case len(records) > 0:
		dst = each(dst, &records[0])
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}
