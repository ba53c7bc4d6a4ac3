package bench

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// memoryDir is where files are kept in memory.
const memoryDir = "/dev/shm"

// orderAnswerMax bounds one answer.
const orderAnswerMax = 10 * time.Second

// ordersBench is a venue in this process and two services of their own, which
// trade accounts of their own: a private stream tells nobody of another's orders.
type ordersBench struct {
	dir          string
	sim          *binancesim.Sim
	venue        string
	stranger     simcore.Credentials // of an account that no service trades
	http         *fasthttp.Client
	forward      string
	memory, disk *orderService
	// requests numbers the request ids.
	requests atomic.Int64
	closers  []func() error
}

func openOrdersBench(ctx context.Context, binary string, clients int) (*ordersBench, error) {
	b := &ordersBench{http: &fasthttp.Client{MaxConnsPerHost: 2 * clients, NoDefaultUserAgentHeader: true}}
	if err := b.open(ctx, binary, clients); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *ordersBench) open(ctx context.Context, binary string, clients int) error {
	var err error
	if b.dir, err = os.MkdirTemp("", "venuegate-bench-"); err != nil {
		return err
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(b.dir) })
	if err := b.startVenue(); err != nil {
		return err
	}
	if err := b.startForward(ctx); err != nil {
		return err
	}
	inMemory, err := os.MkdirTemp(memoryDir, "venuegate-bench-")
	if err != nil {
		return fmt.Errorf("no place in memory for a store: %w", err)
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(inMemory) })
	if b.memory, err = b.startService(ctx, binary, inMemory, clients); err != nil {
		return err
	}
	b.disk, err = b.startService(ctx, binary, b.dir, clients)
	return err
}

func (b *ordersBench) close() error {
	var errs []error
	for i := len(b.closers) - 1; i >= 0; i-- {
		errs = append(errs, b.closers[i]())
	}
	return errors.Join(errs...)
}

// startVenue starts a venue whose market stands still and that takes as many
// requests as come.
func (b *ordersBench) startVenue() error {
	var err error
	b.sim, err = binancesim.New(binancesim.Options{
		Setup:      simnet.Setup{Seed: 1, Quiet: true},
		RateLimits: binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1},
	})
	if err != nil {
		return err
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil { //nolint:noctx // binding a local port does not wait
			return err
		}
	}
	b.sim.Serve(listeners[0], listeners[1])
	b.closers = append(b.closers, b.sim.Close)
	b.venue = b.sim.Endpoints().RestURL
	account, err := b.sim.NewAccount()
	b.stranger = account.Credentials
	return err
}

// startForward serves a Fiber application that does nothing but pass requests on:
// what any service in between must cost at least.
func (b *ordersBench) startForward(ctx context.Context) error {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.All("/*", func(c *fiber.Ctx) error {
		request := fasthttp.AcquireRequest()
		defer fasthttp.ReleaseRequest(request)
		c.Request().CopyTo(request)
		request.SetRequestURI(b.venue + c.OriginalURL())
		return b.http.DoTimeout(request, c.Response(), orderAnswerMax)
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = app.Listener(listener) }()
	b.forward = "http://" + listener.Addr().String()
	b.closers = append(b.closers, func() error { return app.ShutdownWithTimeout(time.Second) })
	return nil
}

func (b *ordersBench) direct(int) error { return b.venueOrder(b.venue) }

func (b *ordersBench) forwarded(int) error { return b.venueOrder(b.forward) }

// venueOrder places an order as the venue takes it.
func (b *ordersBench) venueOrder(base string) error {
	query := url.Values{
		"symbol": {"BTCUSDT"}, "side": {"BUY"}, "type": {"LIMIT"}, "timeInForce": {"IOC"}, "quantity": {"1"}, "price": {"20000"},
		"newOrderRespType": {"RESULT"}, "timestamp": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}.Encode()
	signature := hmac.New(sha256.New, []byte(b.stranger.APISecret))
	signature.Write([]byte(query))
	return b.postOrder(base+"/fapi/v1/order?"+query+"&signature="+hex.EncodeToString(signature.Sum(nil)), "X-MBX-APIKEY", b.stranger.APIKey, nil)
}

// postOrder sends an order that cannot rest and finds nothing to fill.
func (b *ordersBench) postOrder(address, header, value string, body []byte) error {
	answer, err := b.post(address, header, value, body)
	if err != nil {
		return err
	}
	var order struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(answer, &order); err != nil {
		return err
	}
	if order.Status != "cancelled" && order.Status != "EXPIRED" {
		return fmt.Errorf("an order is %s", order.Status)
	}
	return nil
}

// post sends a body with a header that says who sends it, and gives the answer.
func (b *ordersBench) post(address, header, value string, body []byte) ([]byte, error) {
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(address)
	request.Header.SetMethod(fasthttp.MethodPost)
	request.Header.SetContentType("application/json")
	request.Header.Set(header, value)
	request.SetBody(body)
	if err := b.http.DoTimeout(request, answer, orderAnswerMax); err != nil {
		return nil, err
	}
	if answer.StatusCode()/100 != 2 {
		return nil, fmt.Errorf("answered %d %s", answer.StatusCode(), answer.Body())
	}
	return bytes.Clone(answer.Body()), nil
}
