package bench

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// forwardPart serves a Fiber application that only forwards requests to the address in
// its argument: the minimum cost of a service in between.
type forwardPart struct{ app *fiber.App }

// forwardReady has the address of the forward.
type forwardReady struct {
	URL string `json:"url"`
}

func (f *forwardPart) open(ctx context.Context, to string) (any, error) {
	client := &fasthttp.Client{MaxConnsPerHost: 2 * orderAccounts, NoDefaultUserAgentHeader: true}
	f.app = fiber.New(fiber.Config{DisableStartupMessage: true})
	f.app.All("/*", func(c *fiber.Ctx) error {
		request := fasthttp.AcquireRequest()
		defer fasthttp.ReleaseRequest(request)
		c.Request().CopyTo(request)
		request.SetRequestURI(to + c.OriginalURL())
		return client.DoTimeout(request, c.Response(), orderAnswerMax)
	})
	listener, err := listenLocal(ctx)
	if err != nil {
		return nil, err
	}
	go func() { _ = f.app.Listener(listener) }()
	return forwardReady{"http://" + listener.Addr().String()}, nil
}

func (f *forwardPart) answer(context.Context, []byte) (any, error) { return struct{}{}, nil }

func (f *forwardPart) close() error {
	if f.app == nil {
		return nil
	}
	return f.app.ShutdownWithTimeout(time.Second)
}
