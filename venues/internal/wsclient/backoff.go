package wsclient

import "time"

// backoff is the wait before dial number attempt (from 0): at least low, below
// low doubled with each attempt and never above high. random is in [0, 1<<62).
func backoff(attempt int, low, high time.Duration, random int64) time.Duration {
	bound := low
	for range attempt + 1 {
		if bound >= high/2 {
			bound = high
			break
		}
		bound *= 2
	}
	spread := int64(bound - low)
	if spread <= 0 {
		return low
	}
	return low + time.Duration(random%spread)
}
