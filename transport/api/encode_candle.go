package api

import "venuegate/venues"

// AppendCandle appends a candle, the same on REST and on the stream.
func AppendCandle(dst []byte, c *venues.Candle) []byte {
	dst = append(dst, `{"start":`...)
	dst = venues.AppendTime(dst, c.Start)
	dst = append(dst, `,"end":`...)
	dst = venues.AppendTime(dst, c.End)
	dst = append(dst, `,"open":`...)
	dst = AppendDecimal(dst, c.Open)
	dst = append(dst, `,"high":`...)
	dst = AppendDecimal(dst, c.High)
	dst = append(dst, `,"low":`...)
	dst = AppendDecimal(dst, c.Low)
	dst = append(dst, `,"close":`...)
	dst = AppendDecimal(dst, c.Close)
	dst = append(dst, `,"volume":`...)
	dst = AppendDecimal(dst, c.Volume)
	dst = append(dst, `,"turnover":`...)
	dst = AppendDecimal(dst, c.Turnover)
	if c.Closed {
		return append(dst, `,"closed":true}`...)
	}
	return append(dst, `,"closed":false}`...)
}
