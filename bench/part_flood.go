package bench

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/signing"
)

const (
	// floodSenders is the number of concurrent senders of a flood with a rate.
	floodSenders = 32
	// floodLateMax is how far a sender falls behind its rate before it skips requests.
	floodLateMax = 50 * time.Millisecond
	// floodSlowEvery is the interval at which a slow socket sends one byte.
	floodSlowEvery = 100 * time.Millisecond
	// floodBufferBytes is the receive buffer of a socket that never reads.
	floodBufferBytes = 4 << 10
	// floodUnreadPages is the number of pages that a socket that never reads requests.
	floodUnreadPages = 3
	// floodAnswerMax bounds the wait for one response.
	floodAnswerMax = 5 * time.Second
	floodPagePath  = "/v1/orders?status=all&limit=500"
)

// floodPart is the clients of a flood, one flood at a time.
type floodPart struct {
	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	answers map[int]int
}

// floodRequest begins a flood after the end of the one before; without a rate and
// sockets it only ends that.
type floodRequest struct {
	BaseURL string `json:"baseUrl"`
	// PerSecond requests are sent: signals to Hook with a wrong signature if that is set,
	// else requests of pages with Keys in turn, or with unknown ones if there are none.
	PerSecond int      `json:"perSecond"`
	Hook      string   `json:"hook"`
	Keys      []string `json:"keys"`
	// Slow sockets send a request byte by byte, and Unread ones request pages with Keys
	// and never read.
	Slow   int `json:"slow"`
	Unread int `json:"unread"`
	// Consoles read what an open page of the console reads: the stream at StreamURL and pages
	// with Keys, and the console's own calls with Cookie.
	Consoles  int    `json:"consoles"`
	StreamURL string `json:"streamUrl"`
	Cookie    string `json:"cookie"`
}

// floodAnswer has the number of responses of the flood that has ended, by status.
type floodAnswer struct {
	Answers map[int]int `json:"answers"`
}

func (f *floodPart) open(context.Context, string) (any, error) { return struct{}{}, nil }

func (f *floodPart) answer(ctx context.Context, question []byte) (any, error) {
	var q floodRequest
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	said := floodAnswer{Answers: f.answers}
	f.answers = map[int]int{}
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	if q.PerSecond > 0 {
		f.sendAtRate(ctx, q)
	}
	return said, errors.Join(f.openSockets(ctx, q, q.Slow, f.sendSlowly), f.openSockets(ctx, q, q.Unread, requestUnread), f.openConsoles(ctx, q))
}

func (f *floodPart) close() error {
	if f.stop != nil {
		f.stop()
		f.running.Wait()
	}
	return nil
}

func (f *floodPart) sendAtRate(ctx context.Context, q floodRequest) {
	client := &fasthttp.Client{MaxConnsPerHost: floodSenders, NoDefaultUserAgentHeader: true}
	interval := floodSenders * time.Second / time.Duration(q.PerSecond)
	for sender := range floodSenders {
		f.running.Go(func() {
			due := time.Now().Add(interval * time.Duration(sender) / floodSenders)
			for n := sender; waitUntil(ctx, due) == nil; n++ {
				f.send(client, q, n)
				if due = due.Add(interval); time.Since(due) > floodLateMax {
					due = time.Now()
				}
			}
		})
	}
}

func (f *floodPart) send(client *fasthttp.Client, q floodRequest, n int) {
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	switch {
	case q.Hook != "":
		request.SetRequestURI(q.Hook)
		request.Header.SetMethod(fasthttp.MethodPost)
		request.Header.SetContentType("application/json")
		headers := signing.NewHeaders("")
		request.Header.Set(headers.Signature, "sha256="+strings.Repeat("0", 2*sha256.Size))
		request.Header.Set(headers.Timestamp, strconv.FormatInt(time.Now().Unix(), 10))
		request.SetBodyString(`{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","qty":"0.01"}`)
	case len(q.Keys) > 0:
		request.SetRequestURI(q.BaseURL + floodPagePath)
		request.Header.Set("Authorization", "Bearer "+q.Keys[n%len(q.Keys)])
	default:
		request.SetRequestURI(q.BaseURL + floodPagePath)
		request.Header.Set("Authorization", "Bearer "+unknownKey())
	}
	f.count(client, request, answer)
}

// count sends a request and counts its response.
func (f *floodPart) count(client *fasthttp.Client, request *fasthttp.Request, answer *fasthttp.Response) {
	status := 0
	if client.DoTimeout(request, answer, floodAnswerMax) == nil {
		status = answer.StatusCode()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[status]++
}

// unknownKey returns a well-formed key that does not exist.
func unknownKey() string {
	secret, _, err := auth.New(rand.Reader, auth.Grant{Customer: "cus_none", Scopes: []persistence.Scope{persistence.ScopeRead}}, time.Now())
	if err != nil {
		return ""
	}
	return secret.Reveal()
}

// openSockets connects sockets and uses each until the flood ends.
func (f *floodPart) openSockets(ctx context.Context, q floodRequest, sockets int, use func(ctx context.Context, conn net.Conn, q floodRequest, n int)) error {
	target, err := url.Parse(q.BaseURL)
	if err != nil {
		return err
	}
	for n := range sockets {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", target.Host)
		if err != nil {
			return err
		}
		f.running.Go(func() {
			defer conn.Close()
			use(ctx, conn, q, n)
			<-ctx.Done()
		})
	}
	return nil
}

// sendSlowly sends a request that does not end in time.
func (f *floodPart) sendSlowly(ctx context.Context, conn net.Conn, _ floodRequest, _ int) {
	head := []byte("GET /v1/time HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
	for n := 0; waitUntil(ctx, time.Now().Add(floodSlowEvery)) == nil; n++ {
		if _, err := conn.Write(head[n%len(head) : n%len(head)+1]); err != nil {
			return
		}
	}
}

// requestUnread requests pages and does not read them.
func requestUnread(_ context.Context, conn net.Conn, q floodRequest, n int) {
	if socket, ok := conn.(*net.TCPConn); ok {
		_ = socket.SetReadBuffer(floodBufferBytes) // a larger one only holds more of a page
	}
	for range floodUnreadPages {
		_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", floodPagePath, q.Keys[n%len(q.Keys)])
		if err != nil {
			return
		}
	}
}
