package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/api"
	"venuegate/transport/pipetest"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// fullPages are records with as many orders as a page may have, if a test does not remove
// some. Lists wait while hold is not nil and not closed.
type fullPages struct {
	rest.Records
	orders []persistence.OrderRecord
	hold   chan struct{}
}

func (p *fullPages) Orders(_ context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	if p.hold != nil {
		<-p.hold
	}
	return persistence.Page[persistence.OrderRecord]{Items: p.orders[:min(q.Limit, len(p.orders))]}, nil
}

// withFullPages returns a world whose lists of orders are full, in virtual time.
func withFullPages(t *testing.T) (*world, *fullPages) {
	pages := &fullPages{}
	for n := range api.OrdersLimitMax {
		pages.orders = append(pages.orders, storetest.NewOrder("cus_1", n))
	}
	w := newWorld(t, func(d *rest.Deps) {
		pages.Records = d.Records
		d.Records, d.ConnsPerAddressMax = pages, -1
	})
	withOrder(w)
	t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
	return w, pages
}

const longestPage = "/v1/orders?status=all&limit=500"

// pageBytes is the memory of a longest page.
const pageBytes = api.OrdersLimitMax * rest.RecordBytes

// getRequest returns a request without a body.
func getRequest(path, key string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n", path, key)
}

// longestPages returns a function that reads one of the longest pages with always the same
// key, on one connection.
func longestPages(t *testing.T) (read func()) {
	t.Helper()
	w, _ := withFullPages(t)
	key := w.key("cus_1", persistence.ScopeRead)
	listener := pipetest.Listen()
	w.serve(listener)
	conn := listener.Dial(t)
	reader := bufio.NewReader(conn)
	return func() {
		t.Helper()
		write(t, conn, getRequest(longestPage, key))
		readResponse(t, reader).want(http.StatusOK)
	}
}

// A key reads the longest pages at the documented number of requests a minute.
func TestLongestPagesAtAnEvenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readPage := longestPages(t)
		begun := time.Now()
		for n := range api.ReadsPerWindow {
			time.Sleep(time.Until(begun.Add(time.Duration(n) * api.RateWindow / api.ReadsPerWindow)))
			readPage()
		}
		if took := time.Since(begun); took >= api.RateWindow {
			t.Errorf("%d pages took %v, want less than %v", api.ReadsPerWindow, took, api.RateWindow)
		}
	})
}

// Pages that are requested as fast as possible are made at the rate of rows.
func TestPagesOfAKeyArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readPage := longestPages(t)
		const pages = 200
		begun := time.Now()
		for range pages {
			readPage()
		}
		// The last page does not wait for its own rows.
		const waited = (pages - 1) * api.OrdersLimitMax * time.Second
		ofAll := waited/time.Duration(runtime.GOMAXPROCS(0)*rest.RowsPerSecondProcessor) - rest.RowsBurst
		want := max(ofAll, waited/rest.RowsPerSecondKey-rest.RowsBurstKey)
		if took := time.Since(begun); took != want {
			t.Errorf("%d pages took %v, want %v", pages, took, want)
		}
	})
}

// A page with fewer orders than its limit takes the rows of those only.
func TestShortPagesAreNotDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, pages := withFullPages(t)
		pages.orders = pages.orders[:1]
		key := w.key("cus_1", persistence.ScopeRead)
		begun := time.Now()
		for range 300 {
			w.do("GET", longestPage, key, "").want(http.StatusOK)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("300 pages of an order took %v, want no wait", took)
		}
	})
}

// More pages of several keys than are made in a second are refused with the time after
// which to try again. Another key, and orders, are served meanwhile.
func TestPagesPastTheRateAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := withFullPages(t)
		listener := pipetest.Listen()
		w.serve(listener)
		var mu sync.Mutex
		statuses := map[int]int{}
		var readers sync.WaitGroup
		const keys = 64
		for range keys {
			key := w.key("cus_1", persistence.ScopeRead)
			for range 10 {
				conn := listener.Dial(t)
				readers.Go(func() {
					write(t, conn, getRequest(longestPage, key))
					r := readResponse(t, bufio.NewReader(conn))
					if after, err := strconv.Atoi(r.header.Get("Retry-After")); r.status == http.StatusTooManyRequests && (err != nil || after < 1) {
						t.Errorf("Retry-After = %q, want a number of seconds", r.header.Get("Retry-After"))
					}
					mu.Lock()
					defer mu.Unlock()
					statuses[r.status]++
				})
			}
		}
		time.Sleep(time.Millisecond) // all that have to wait do
		begun := time.Now()
		w.do("POST", "/v1/orders", w.key("cus_1", persistence.ScopeTrade), marketOrder).want(http.StatusCreated)
		if took := time.Since(begun); took != 0 {
			t.Errorf("an order took %v, want no wait", took)
		}
		w.do("GET", "/v1/orders/ord_1", w.key("cus_1", persistence.ScopeRead), "").want(http.StatusOK)
		readers.Wait()
		if took := time.Since(begun); took > rest.ListWaitMax {
			t.Errorf("pages took %v, want at most %v", took, rest.ListWaitMax)
		}
		if statuses[http.StatusOK] == 0 || statuses[http.StatusTooManyRequests] == 0 || len(statuses) != 2 {
			t.Errorf("responses by status = %v, want 200 and 429", statuses)
		}
	})
}

// Lists are made a few at a time, and the reads of a key that are under way are limited.
// Orders pass neither limit.
func TestReadsUnderWayAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, pages := withFullPages(t)
		pages.hold = make(chan struct{})
		key, other := w.key("cus_1", persistence.ScopeRead), w.key("cus_1", persistence.ScopeRead, persistence.ScopeTrade)
		listener := pipetest.Listen()
		w.serve(listener)
		var readers sync.WaitGroup
		var refused atomic.Int64
		for range rest.ReadsPerKeyMax {
			conn := listener.Dial(t)
			readers.Go(func() {
				write(t, conn, getRequest("/v1/orders?status=all&limit=1", key))
				r := readResponse(t, bufio.NewReader(conn))
				if r.status == http.StatusTooManyRequests {
					refused.Add(1)
				}
			})
			synctest.Wait()
		}
		got := w.do("GET", "/v1/orders/ord_1", key, "").want(http.StatusTooManyRequests, venues.CodeRateLimited)
		if want := fmt.Sprintf(`"details":{"limit":%d,"scope":"key"}`, rest.ReadsPerKeyMax); !strings.Contains(string(got.body), want) {
			t.Errorf("response = %s, want %s", got.body, want)
		}
		w.do("GET", "/v1/orders/ord_1", other, "").want(http.StatusOK)
		w.do("POST", "/v1/orders", other, marketOrder).want(http.StatusCreated)
		time.Sleep(2 * rest.ListWaitMax)
		synctest.Wait()
		if n := refused.Load(); n == 0 || n == rest.ReadsPerKeyMax {
			t.Errorf("%d of %d lists did not get a slot in time, want some", n, rest.ReadsPerKeyMax)
		}
		close(pages.hold)
		readers.Wait()
		w.do("GET", "/v1/orders/ord_1", key, "").want(http.StatusOK)
	})
}

// unread requests a page when it need not wait for its rows, and does not read it.
func unread(t *testing.T, listener *pipetest.Listener, key string) net.Conn {
	t.Helper()
	time.Sleep(time.Second / 8)
	conn := listener.Dial(t)
	write(t, conn, getRequest(longestPage, key))
	synctest.Wait()
	return conn
}

// The memory of responses that are not read is limited: for a key, and for all keys. The
// connection of one that is not read makes room for another key, and the others are closed
// after the write timeout.
func TestUnreadResponsesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := withFullPages(t)
		w.server.App().Server().WriteTimeout = time.Hour
		listener := pipetest.Listen()
		w.serve(listener)
		var conns []net.Conn
		const perKey = rest.UnsentBytesPerKeyMax / pageBytes
		first := ""
		for len(conns) < rest.UnsentBytesMax/pageBytes {
			key := w.key("cus_1", persistence.ScopeRead)
			if first == "" {
				first = key
			}
			for range min(perKey, rest.UnsentBytesMax/pageBytes-len(conns)) {
				conns = append(conns, unread(t, listener, key))
			}
		}
		w.do("GET", longestPage, first, "").want(http.StatusTooManyRequests, venues.CodeRateLimited)
		w.do("POST", "/v1/orders", w.key("cus_1", persistence.ScopeTrade), marketOrder).want(http.StatusCreated)

		other := w.key("cus_1", persistence.ScopeRead)
		w.do("GET", longestPage, other, "").want(http.StatusOK)
		if n := closedConns(conns); n != 1 {
			t.Errorf("%d connections were closed for another key, want 1", n)
		}
	})
}

// closedConns returns how many of the connections with a response the server has closed
// before the end of that.
func closedConns(conns []net.Conn) (closed int) {
	for _, conn := range conns {
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		if err != nil {
			closed++
		}
	}
	return closed
}

// A connection that does not read its response is closed after the write timeout, and the
// key can read again.
func TestWriteTimeoutFreesMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := withFullPages(t)
		listener := pipetest.Listen()
		w.serve(listener)
		key := w.key("cus_1", persistence.ScopeRead)
		begun := time.Now()
		var conns []net.Conn
		for range rest.UnsentBytesPerKeyMax / pageBytes {
			conns = append(conns, unread(t, listener, key))
		}
		w.do("GET", longestPage, key, "").want(http.StatusTooManyRequests, venues.CodeRateLimited)
		time.Sleep(time.Until(begun.Add(rest.WriteTimeout + time.Second)))
		w.do("GET", longestPage, key, "").want(http.StatusOK)
		time.Sleep(rest.WriteTimeout)
		if n := closedConns(conns); n != len(conns) {
			t.Errorf("%d of %d connections are closed, want all", n, len(conns))
		}
	})
}

// lateRecords are records that are not read in time.
type lateRecords struct{ rest.Records }

func (lateRecords) Order(ctx context.Context, _, _ string) (persistence.OrderRecord, error) {
	<-ctx.Done()
	return persistence.OrderRecord{}, fmt.Errorf("read: %w", ctx.Err())
}

func (lateRecords) Orders(ctx context.Context, _ persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	<-ctx.Done()
	return persistence.Page[persistence.OrderRecord]{}, fmt.Errorf("read: %w", ctx.Err())
}

// A read that times out may be sent again later. It is no error of the service.
func TestReadsThatTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(d *rest.Deps) { d.Records = lateRecords{d.Records} })
		withOrder(w)
		key := w.key("cus_1", persistence.ScopeRead)
		for _, path := range []string{"/v1/orders", "/v1/orders/ord_1"} {
			w.logs.TakeAll()
			got := w.do("GET", path, key, "").want(http.StatusServiceUnavailable, venues.CodeMaintenance)
			if after := got.header.Get("Retry-After"); after != "1" {
				t.Errorf("%s: Retry-After = %q, want 1", path, after)
			}
			if logged := w.logs.TakeAll(); len(logged) != 1 || logged[0].Level != zap.WarnLevel {
				t.Errorf("%s: log = %v, want a warning", path, logged)
			}
		}
	})
}
