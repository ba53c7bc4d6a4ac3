// Package candles reads the candles of a venue through a cache. It has no actor: the
// cache is shared by the callers, and what it holds can be read again at any time.
//
// Candles are read and kept in blocks of 300 that begin at multiples of their length.
// One request is under way for a block at a time, and all callers that need the block
// share its result. Closed candles never change and are not read again while their block
// is kept; of the block of the present, only the candles that may have changed are read.
// The requests have the lowest priority in the rate limits of the venue, so that orders do
// not wait for them; if they are used up, the caller gets rate_limited.
package candles
