package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"venuegate/transport/signing"
)

const (
	// hookSenders is the number of concurrent senders; each has its own connection
	// and instrument.
	hookSenders = 64
	// hookSignals is the number of signals of a round at the edge, hookDurable the
	// number through the durable inbox.
	hookSignals = 20_000
	hookDurable = 4_000
	// hookWarm is the number of signals of each sender before the measurement.
	hookWarm = 10
	// hookQuick is the number of signals of a quick run.
	hookQuick        = 40
	hookQuickSenders = 4
	// hookAnswerMax bounds the wait for one response.
	hookAnswerMax = 10 * time.Second
)

var hooksScenario = Scenario{
	Name: "hooks",
	Does: "signed signals accepted, without and with the inbox, against a Fiber server that only parses JSON",
	Run:  measureHooks,
}

// measureHooks sends the same signed requests to the servers in turn.
func measureHooks(ctx context.Context, o Options) ([]Figure, error) {
	var bare, standard, edge, whole, single []float64
	signals, durable, senders := hookSignals, hookDurable, hookSenders
	if o.Quick {
		signals, durable, senders = hookQuick, hookQuick, hookQuickSenders
	}
	for range o.Rounds {
		for _, way := range []struct {
			rounds  *[]float64
			open    func(context.Context) (*hookServer, error)
			signals int
			senders int
		}{
			{&bare, openBareHook, signals, senders},
			{&standard, openStandardHook, signals, senders},
			{&edge, openHookEdge, signals, senders},
			{&whole, openHookInbox, durable, senders},
			{&single, openHookInbox, durable / 10, 1},
		} {
			perSecond, err := sendSignals(ctx, way.open, way.signals, way.senders)
			if err != nil {
				return nil, err
			}
			*way.rounds = append(*way.rounds, perSecond)
		}
	}
	alone := make([]float64, len(single))
	for i, perSecond := range single {
		alone[i] = 1e6 / perSecond
	}
	return []Figure{
		{Name: "verify, decode, answer", Ours: spreadOf(edge), Limit: spreadOf(bare), Unit: "signals/s", HigherIsBetter: true, Goal: ">= 0.80; limit: Fiber and a fast parser"},
		{Name: "the same, against net/http and encoding/json", Ours: spreadOf(edge), Limit: spreadOf(standard), Unit: "signals/s", HigherIsBetter: true, Goal: ">= 1.9"},
		{Name: "through the inbox, test mode", Ours: spreadOf(whole), Limit: spreadOf(bare), Unit: "signals/s", HigherIsBetter: true, Goal: "the limit is never durable"},
		{Name: "through the inbox, one sender, a signal", Ours: spreadOf(alone), Unit: "µs"},
	}, nil
}

// hookServer accepts signals on a socket.
type hookServer struct {
	url   string
	close func() error
}

// serveHook serves app on a free port; end is called after it has stopped.
func serveHook(app *fiber.App, end func() error) (*hookServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed below
	if err != nil {
		return nil, err
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	return &hookServer{
		url: "http://" + listener.Addr().String() + "/v1/hooks/in/" + hookChannel,
		close: func() error {
			if err := app.ShutdownWithTimeout(time.Second); err != nil {
				return err
			}
			if err := <-served; err != nil {
				return err
			}
			return end()
		},
	}, nil
}

// sendSignals returns how many signals per second are answered. Signing and a warm-up
// are not measured.
func sendSignals(ctx context.Context, open func(context.Context) (*hookServer, error), signals, senders int) (perSecond float64, err error) {
	server, err := open(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		if failure := server.close(); err == nil {
			err = failure
		}
	}()
	work := make([][]*fasthttp.Request, senders)
	for sender := range work {
		work[sender] = signedRequests(server.url, sender, hookWarm+signals/senders)
	}
	client := &fasthttp.Client{MaxConnsPerHost: senders}
	defer client.CloseIdleConnections()
	send := func(sender, n int) error {
		answer := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseResponse(answer)
		if err := client.DoTimeout(work[sender][n], answer, hookAnswerMax); err != nil {
			return err
		}
		if answer.StatusCode() != http.StatusAccepted {
			return fmt.Errorf("response to a signal: status %d, %s", answer.StatusCode(), answer.Body())
		}
		return nil
	}
	if err := new(laps).run(senders, hookWarm, send); err != nil {
		return 0, err
	}
	var measured laps
	err = measured.run(senders, signals/senders, func(sender, n int) error { return send(sender, hookWarm+n) })
	return measured.perSecond(), err
}

func signedRequests(url string, sender, n int) []*fasthttp.Request {
	key, headers, now := signing.NewKey(hookSecret), signing.NewHeaders(""), time.Now().Unix()
	requests := make([]*fasthttp.Request, n)
	for i := range requests {
		body := fmt.Appendf(nil, `{"action":"order","exchange":"binance","symbol":%q,"side":"buy","qty":"0.01","stopLoss":"60000","requestId":"%d-%d","comment":"breakout"}`,
			hookSymbol(sender), sender, i)
		signature, timestamp := key.Sign(now, body)
		r := &fasthttp.Request{}
		r.SetRequestURI(url)
		r.Header.SetMethod(http.MethodPost)
		r.Header.SetContentType("application/json")
		r.Header.Set(headers.Signature, signature)
		r.Header.Set(headers.Timestamp, timestamp)
		r.SetBody(body)
		requests[i] = r
	}
	return requests
}

func hookSymbol(sender int) string { return "S" + strconv.Itoa(sender) + "USDT" }
