package load

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// reads sends GET requests, each path in turn.
type reads struct {
	run   *run
	paths []string
}

func openReads(_ context.Context, r *run) (sender, error) { return newReads(r), nil }

func newReads(r *run) *reads {
	of := "?" + url.Values{"exchange": {string(r.Exchange)}, "symbol": {r.Symbol}}.Encode()
	return &reads{run: r, paths: []string{
		"/v1/orders?limit=100", "/v1/positions", "/v1/account", "/v1/fills?limit=100",
		"/v1/tickers" + of, "/v1/book" + of, "/v1/trades" + of, "/v1/candles" + of + "&timeframe=1m", "/v1/instruments" + of,
	}}
}

func (s *reads) send(ctx context.Context, _ int, q request) {
	path := s.paths[q.n%len(s.paths)]
	_, err := s.run.service.call(ctx, withKey(s.run.key(q.n)), http.MethodGet, path, nil)
	name, _, _ := strings.Cut(path, "?")
	s.run.done("GET "+name, q.due, err)
}

func (s *reads) close(context.Context) error { return nil }
