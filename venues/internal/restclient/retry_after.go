package restclient

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter is for how long an answer's header asks for silence, at most longest;
// zero if it names no number of seconds.
func RetryAfter(header http.Header, longest time.Duration) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(header.Get("Retry-After")))
	if err != nil || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, int(longest/time.Second))) * time.Second
}
