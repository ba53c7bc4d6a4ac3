package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// consoleEvery is the interval of the reads of one open page, as of the page with the most.
const consoleEvery = time.Second

// consoleTopics are the subscriptions of the page that trades.
var consoleTopics = []string{
	"book:binance:" + tradedSymbol + ":10", "trades:binance:" + tradedSymbol, "kline:binance:" + tradedSymbol + ":1m", "orders", "positions",
}

// consoleReads are what a page reads in turn: with its token, or with the cookie of the session.
var consoleReads = []struct {
	path   string
	cookie bool
}{
	{"/v1/account", false},
	{"/v1/venues", false},
	{"/v1/orders?limit=100&status=open", false},
	{"/console/api/signals?limit=100", true},
	{"/console/api/deliveries?limit=100", true},
	{"/console/api/journal?limit=100", true},
	{"/console/api/session", true},
}

// openConsoles opens pages of the console, which read until the flood ends.
func (f *floodPart) openConsoles(ctx context.Context, q floodRequest) error {
	client := &fasthttp.Client{MaxConnsPerHost: floodSenders, NoDefaultUserAgentHeader: true}
	for n := range q.Consoles {
		key := q.Keys[n%len(q.Keys)]
		conn, err := subscribe(ctx, q.StreamURL, key, consoleTopics)
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		f.running.Go(func() {
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					return
				}
			}
		})
		f.running.Go(func() {
			defer conn.Close()
			due := time.Now().Add(consoleEvery * time.Duration(n) / time.Duration(q.Consoles))
			for i := n; waitUntil(ctx, due) == nil; i++ {
				f.read(client, q, key, i)
				due = due.Add(consoleEvery)
			}
		})
	}
	return nil
}

// read sends the read of an open page.
func (f *floodPart) read(client *fasthttp.Client, q floodRequest, key string, n int) {
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	what := consoleReads[n%len(consoleReads)]
	request.SetRequestURI(q.BaseURL + what.path)
	if what.cookie {
		request.Header.Set("Cookie", q.Cookie)
	} else {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	f.count(client, request, answer)
}
