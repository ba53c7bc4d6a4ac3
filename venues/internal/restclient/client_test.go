package restclient_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

const signature = "signature=5ecre7"

func call(method string, mutates bool) restclient.Call {
	return restclient.Call{Priority: restclient.PriorityOrder, Mutates: mutates, Build: func() (restclient.Request, error) {
		r := restclient.Request{Method: method, Path: "/order", Query: "symbol=BTCUSDT&" + signature}
		if method == http.MethodPost {
			r.Query, r.Body, r.ContentType = "", "symbol=BTCUSDT&"+signature, "application/x-www-form-urlencoded"
		}
		return r, nil
	}}
}

// ways returns a mutating call by each way that it can be sent.
func ways(method string) map[string]restclient.Call {
	order := call(method, true)
	order.OrderEntry = true
	return map[string]restclient.Call{"net/http": call(method, true), "order entry": order}
}

// awaitMax bounds a request whose answer must arrive. Only a failing test waits that
// long.
const awaitMax = time.Minute

func client(url string) *restclient.Client {
	return restclient.New(restclient.Options{BaseURL: url, Timeout: awaitMax, BodyBytesMax: 1000}, restclient.NewGate())
}

// rawVenue serves connections with a test's function, so that it can fail in any way.
// serve is called after each request has been read in full.
type rawVenue struct {
	url      string
	requests atomic.Int64
}

func newRawVenue(t *testing.T, serve func(conn net.Conn, n int64) (keep bool)) *rawVenue {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	v := &rawVenue{url: "http://" + listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go v.serve(conn, serve)
		}
	}()
	return v
}

// piped returns options for a venue behind a pipe, for tests in virtual time.
func piped(serve func(conn net.Conn, n int64) (keep bool)) restclient.Options {
	v := &rawVenue{}
	return restclient.Options{BaseURL: "http://venue", Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go v.serve(theirs, serve)
		return ours, nil
	}}
}

func (v *rawVenue) serve(conn net.Conn, serve func(net.Conn, int64) bool) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		if !serve(conn, v.requests.Add(1)) {
			return
		}
	}
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

func answerOK(conn net.Conn, _ int64) bool {
	_, err := io.WriteString(conn, okAnswer)
	return err == nil
}

// A request that was read and not answered is never sent again, and its outcome is
// unknown.
func TestOutcomeAfterTheRequestWasRead(t *testing.T) {
	for name, serve := range map[string]func(net.Conn, int64) bool{
		"closed without an answer": func(net.Conn, int64) bool { return false },
		"reset": func(conn net.Conn, _ int64) bool {
			_ = conn.(*net.TCPConn).SetLinger(0)
			return false
		},
		"half a header": func(conn net.Conn, _ int64) bool {
			_, _ = io.WriteString(conn, "HTTP/1.1 200")
			return false
		},
		"half a body": func(conn net.Conn, _ int64) bool {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
			return false
		},
		"endless body": func(conn net.Conn, _ int64) bool {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"+strings.Repeat("x", 5000))
			return false
		},
		"no HTTP at all": func(conn net.Conn, _ int64) bool {
			_, _ = io.WriteString(conn, "220 mail ready\r\n")
			return false
		},
		"endless header": func(conn net.Conn, _ int64) bool {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 100<<10))
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
				for way, mutating := range ways(method) {
					v := newRawVenue(t, serve)
					c := client(v.url)
					_, err := c.Do(t.Context(), mutating)
					if !errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
						t.Errorf("%s by %s: error %v, want an unknown outcome", method, way, err)
					}
					checkClean(t, err)
					if n := v.requests.Load(); n != 1 {
						t.Errorf("%s by %s: sent %d times, want 1", method, way, n)
					}
				}
			}
			c := client(newRawVenue(t, serve).url)
			_, err := c.Do(t.Context(), call(http.MethodGet, false))
			if venues.CodeOf(err) != venues.CodeExchangeUnavailable || errors.Is(err, venues.ErrOutcomeUnknown) {
				t.Errorf("read: error %v, want plain exchange_unavailable", err)
			}
			checkClean(t, err)
		})
	}
}

func checkClean(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "5ecre7") {
		t.Errorf("the error contains the signature: %v, want none", err)
	}
}

func TestConnectionClosedWhileIdle(t *testing.T) {
	for way, mutating := range ways(http.MethodPost) {
		v := newRawVenue(t, func(conn net.Conn, n int64) bool {
			if n == 1 {
				return answerOK(conn, n)
			}
			return false // the second request is read and never answered
		})
		c := client(v.url)
		if _, err := c.Do(t.Context(), mutating); err != nil {
			t.Fatal(err)
		}
		_, err := c.Do(t.Context(), mutating)
		if !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("by %s: error %v, want an unknown outcome", way, err)
		}
		if n := v.requests.Load(); n != 2 {
			t.Errorf("by %s: %d requests arrived, want 2", way, n)
		}
	}
}

// brokenConn fails to write after its first request.
type brokenConn struct {
	net.Conn
	writes atomic.Int64
}

func (c *brokenConn) Write(p []byte) (int, error) {
	if c.writes.Add(1) > 1 {
		return 0, io.ErrClosedPipe
	}
	return c.Conn.Write(p)
}

// net/http would send a request again of which nothing was written to a connection that it has used
// before. It does not report that nothing was written.
func TestUnwrittenRequestIsNotRepeated(t *testing.T) {
	v := newRawVenue(t, answerOK)
	c := restclient.New(restclient.Options{
		BaseURL: v.url, Timeout: awaitMax, BodyBytesMax: 1000,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return &brokenConn{Conn: conn}, err
		},
	}, restclient.NewGate())
	if _, err := c.Do(t.Context(), call(http.MethodPost, true)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), call(http.MethodPost, true)); !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("error %v, want an unknown outcome", err)
	}
	if n := v.requests.Load(); n != 1 {
		t.Errorf("%d requests arrived, want 1", n)
	}
}

func TestOutcomeTimeoutAfterSending(t *testing.T) {
	for way, mutating := range ways(http.MethodPost) {
		synctest.Test(t, func(t *testing.T) {
			o := piped(func(conn net.Conn, _ int64) bool {
				_, _ = conn.Read(make([]byte, 1)) // until the client has gone
				return false
			})
			o.Timeout = time.Second
			begun := time.Now()
			_, err := restclient.New(o, restclient.NewGate()).Do(t.Context(), mutating)
			if !errors.Is(err, venues.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != o.Timeout {
				t.Errorf("by %s: error %v after %s, want an unknown outcome at the time-out", way, err, time.Since(begun))
			}
		})
	}
}

func TestUnreachableVenueIsNotSent(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is not trusted
	t.Cleanup(untrusted.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nothing answers the handshake
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	for name, url := range map[string]string{
		"nobody listens":       closed.URL,
		"unknown certificate":  untrusted.URL,
		"TLS never answers":    "https://" + silent.Addr().String(),
		"address is no URL":    "http://[::1]:namedport",
		"host does not exist":  "http://venue.invalid",
		"scheme is not spoken": "gopher://127.0.0.1",
	} {
		t.Run(name, func(t *testing.T) {
			do := func(c restclient.Call) error {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				_, err := client(url).Do(ctx, c)
				return err
			}
			for way, mutating := range ways(http.MethodPost) {
				err := do(mutating)
				if !errors.Is(err, venues.ErrNotSent) || errors.Is(err, venues.ErrOutcomeUnknown) {
					t.Errorf("by %s: error %v, want ErrNotSent", way, err)
				}
				checkClean(t, err)
			}
			err := do(call(http.MethodGet, false))
			if err == nil || errors.Is(err, venues.ErrNotSent) {
				t.Errorf("read: error %v, want neither outcome", err)
			}
			checkClean(t, err)
		})
	}
}

func TestGateRejectionIsNotSent(t *testing.T) {
	v := newRawVenue(t, answerOK)
	gate := restclient.NewGate()
	gate.Freeze(time.Minute)
	c := restclient.New(restclient.Options{BaseURL: v.url}, gate)
	_, err := c.Do(t.Context(), call(http.MethodPost, true))
	if !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("error %v, want rate_limited, not sent", err)
	}
	if v.requests.Load() != 0 {
		t.Error("something was sent during the freeze")
	}
}

func TestBuildErrorIsReturnedUnchanged(t *testing.T) {
	v := newRawVenue(t, answerOK)
	failure := errors.New("deadline passed")
	_, err := client(v.url).Do(t.Context(), restclient.Call{Build: func() (restclient.Request, error) {
		return restclient.Request{}, failure
	}})
	if !errors.Is(err, failure) || v.requests.Load() != 0 {
		t.Errorf("error %v after %d requests, want the error of Build and none", err, v.requests.Load())
	}
}

// Every status is an answer, also redirects; requests are sent as built.
func TestAnswersAndRequestsAreUnchanged(t *testing.T) {
	var seen *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		seen, body = r, string(text)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = io.WriteString(w, "moved")
	}))
	t.Cleanup(server.Close)
	c := client(server.URL + "/prefix")
	t.Cleanup(c.Close)
	var headers []http.Header
	for _, orderEntry := range []bool{false, true} {
		answer, err := c.Do(t.Context(), restclient.Call{Mutates: true, OrderEntry: orderEntry, Build: func() (restclient.Request, error) {
			return restclient.Request{
				Method: http.MethodPost, Path: "/p", Query: "a=%2F", Body: "b=1&c=%41", ContentType: "text/x",
				Header: map[string]string{"X-Key": "k", "expTime": "1 "},
			}, nil
		}})
		if err != nil || answer.Status != http.StatusTemporaryRedirect || string(answer.Body) != "moved" || answer.Header.Get("Location") != "/elsewhere" {
			t.Fatalf("answer %+v, error %v, want the redirect as it is", answer, err)
		}
		if seen.URL.Path != "/prefix/p" || seen.URL.RawQuery != "a=%2F" || body != "b=1&c=%41" ||
			seen.Header.Get("X-Key") != "k" || seen.Header.Get("Content-Type") != "text/x" || seen.UserAgent() != "venuegate" {
			t.Errorf("request %v %v, body %q, want them unchanged", seen.URL, seen.Header, body)
		}
		for name := range seen.Header {
			if strings.Contains(name, "Idempotency") {
				t.Errorf("header %s makes the transport send twice, want none", name)
			}
		}
		headers = append(headers, seen.Header)
	}
	if !reflect.DeepEqual(headers[0], headers[1]) {
		t.Errorf("order entry has the header %v, want that of net/http: %v", headers[1], headers[0])
	}
}

// Queries for an outcome come before all other reads, and those for which a caller waits
// before the reads of a reconciliation.
func TestReadsAreSentInTheOrderOfTheirPurposes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := restclient.New(piped(answerOK), restclient.NewGate())
		defer c.Close()
		reading := call(http.MethodGet, false)
		reading.Priority = restclient.PriorityReconcile
		reading.Costs = []restclient.Cost{{Budget: restclient.NewBudget("weight", 100, time.Minute), Units: 5}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, purpose := range []struct {
			ctx  context.Context
			sent int
		}{{ctx, 13}, {venues.WithCaller(ctx), 2}, {venues.WithOutcomeQuery(venues.WithCaller(ctx)), 1}} {
			sent := 0
			for _, err := c.Do(purpose.ctx, reading); err == nil; _, err = c.Do(purpose.ctx, reading) {
				sent++
			}
			if sent != purpose.sent {
				t.Errorf("%d reads were sent, want %d", sent, purpose.sent)
			}
		}
	})
}

func TestRoutineReadLeavesAReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := restclient.New(piped(answerOK), restclient.NewGate())
		defer c.Close()
		reading := call(http.MethodGet, false)
		reading.Priority = restclient.PriorityReconcile
		reading.Costs = []restclient.Cost{{Budget: restclient.NewBudget("weight", 100, time.Minute), Units: 5}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var err error
		for range 9 { // the whole share of history, and more
			_, err = c.Do(venues.WithRoutineRead(ctx), reading)
		}
		if venues.CodeOf(err) != venues.CodeRateLimited {
			t.Fatalf("error %v, want rate_limited with the share used up", err)
		}
		if _, err := c.Do(ctx, reading); err != nil {
			t.Errorf("other read: error %v, want none", err)
		}
	})
}

// As many requests as the service sends at the same time reuse the connections of earlier
// ones: a burst of orders opens none.
func TestBurstsShareConnections(t *testing.T) {
	for way, mutating := range ways(http.MethodPost) {
		synctest.Test(t, func(t *testing.T) { testBurst(t, way, mutating) })
	}
}

func testBurst(t *testing.T, way string, mutating restclient.Call) {
	const burst = 96
	var opened, waiting atomic.Int64
	together := make(chan struct{})
	o := piped(func(conn net.Conn, n int64) bool {
		if waiting.Add(1)%burst != 0 {
			<-together
		} else {
			for range burst - 1 {
				together <- struct{}{}
			}
		}
		return answerOK(conn, n)
	})
	dial := o.Dial
	o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		opened.Add(1)
		return dial(ctx, network, address)
	}
	c := restclient.New(o, restclient.NewGate())
	defer c.Close()
	for range 3 {
		var sent sync.WaitGroup
		for range burst {
			sent.Go(func() {
				if _, err := c.Do(t.Context(), mutating); err != nil {
					t.Error(err)
				}
			})
		}
		sent.Wait()
		synctest.Wait() // a connection is free again shortly after its answer
	}
	if opened.Load() != burst {
		t.Errorf("by %s: 3 bursts of %d requests opened %d connections, want one burst's", way, burst, opened.Load())
	}
}
