package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/shopspring/decimal"
	"github.com/valyala/fasthttp"
)

const (
	// cannedQueue bounds the messages of a private stream that are not written yet.
	cannedQueue = 1024
	// cannedCommand is the request of a connector on a new private stream, whatever it is.
	cannedCommand = `{"result":[],"id":1}`
)

// cannedPart is a venue that answers orders with a fixed answer and the messages of the
// private stream that belong to it, without matching: so little that what is measured is
// not the venue. A limit order ends at once without a fill; a market order is filled at
// once at cannedPrice. Everything else is answered by a simulated venue behind it, which
// has none of these orders. Signatures are not checked. The argument is that of venuePart.
type cannedPart struct {
	venue  venuePart
	sim    *fasthttp.HostClient
	server *fasthttp.Server
	served sync.WaitGroup
	orders atomic.Int64

	mu sync.Mutex
	// streams are the open private streams by API key, which is also the listen key.
	streams map[string][]*cannedStream
	// positions are the positions in cannedSymbol by API key, of accounts with a stream.
	positions map[string]decimal.Decimal
}

// cannedStream is a private stream. One goroutine writes its frames.
type cannedStream struct {
	conn   *websocket.Conn
	frames chan []byte
}

func (v *cannedPart) open(ctx context.Context, argument string) (any, error) {
	opened, err := v.venue.open(ctx, argument)
	if err != nil {
		return nil, err
	}
	listener, err := listenLocal(ctx)
	if err != nil {
		return nil, err
	}
	said := opened.(venueReady)
	v.streams, v.positions = map[string][]*cannedStream{}, map[string]decimal.Decimal{}
	v.sim = &fasthttp.HostClient{Addr: strings.TrimPrefix(said.At.RestURL, "http://"), MaxConns: 2 * orderAccounts}
	v.server = &fasthttp.Server{Handler: v.handle, NoDefaultServerHeader: true}
	v.served.Go(func() { _ = v.server.Serve(listener) })
	said.At.RestURL, said.At.WsURL = "http://"+listener.Addr().String(), "ws://"+listener.Addr().String()
	return said, nil
}

func (v *cannedPart) answer(ctx context.Context, question []byte) (any, error) {
	return v.venue.answer(ctx, question)
}

func (v *cannedPart) close() error {
	var err error
	if v.server != nil {
		v.mu.Lock()
		for _, streams := range v.streams {
			for _, s := range streams {
				s.end()
			}
		}
		v.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// Clients that keep their connections are cut off.
		if err = v.server.ShutdownWithContext(ctx); errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
		v.served.Wait()
	}
	return errors.Join(err, v.venue.close())
}

// handle answers one request.
func (v *cannedPart) handle(c *fasthttp.RequestCtx) {
	key, path := c.Request.Header.Peek("X-MBX-APIKEY"), c.Path()
	switch {
	case c.IsPost() && string(path) == "/fapi/v1/order":
		v.place(c, string(key))
	case string(path) == "/fapi/v1/listenKey":
		c.SetContentType("application/json")
		c.SetBody(appendMember(nil, `{"listenKey":"`, string(key)+`"}`))
	case c.IsGet() && string(path) == "/fapi/v3/positionRisk":
		v.readPositions(c, string(key))
	case bytes.HasPrefix(path, []byte("/private/")):
		v.openStream(c)
	case len(c.Request.Header.Peek("Upgrade")) > 0:
		v.tunnel(c)
	default:
		if err := v.sim.Do(&c.Request, &c.Response); err != nil {
			c.Error(err.Error(), fasthttp.StatusBadGateway)
		}
	}
}

// openStream upgrades a request to a private stream.
func (v *cannedPart) openStream(c *fasthttp.RequestCtx) {
	key := string(c.QueryArgs().Peek("listenKey"))
	upgrader := websocket.FastHTTPUpgrader{CheckOrigin: func(*fasthttp.RequestCtx) bool { return true }}
	err := upgrader.Upgrade(c, func(conn *websocket.Conn) {
		s := &cannedStream{conn: conn, frames: make(chan []byte, cannedQueue)}
		v.mu.Lock()
		v.streams[key] = append(v.streams[key], s)
		v.mu.Unlock()
		var writing sync.WaitGroup
		writing.Go(s.write)
		for {
			kind, _, err := conn.ReadMessage()
			if err != nil {
				break
			}
			if kind == websocket.TextMessage {
				s.frames <- appendFrame(nil, []byte(cannedCommand))
			}
		}
		v.mu.Lock()
		v.streams[key] = slices.DeleteFunc(v.streams[key], func(other *cannedStream) bool { return other == s })
		close(s.frames)
		v.mu.Unlock()
		writing.Wait()
	})
	if err != nil {
		c.Error(err.Error(), fasthttp.StatusBadRequest)
	}
}

// write writes frames until the stream ends. The deadline replaces that of an answer to a
// ping, which may have passed.
func (s *cannedStream) write() {
	for frames := range s.frames {
		_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(orderAnswerMax))
		if _, err := s.conn.NetConn().Write(frames); err != nil {
			s.end()
			break
		}
	}
	for range s.frames {
		continue // until the reader has noticed the end
	}
}

// end ends the reader. The server then closes the connection; closing it here would have no
// effect.
func (s *cannedStream) end() { _ = s.conn.SetReadDeadline(time.Now()) }

// send queues frames for the private streams of a key, if it has any. A stream that does
// not read is closed.
func (v *cannedPart) send(key string, frames func() []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.streams[key]) == 0 {
		return
	}
	queued := frames()
	for _, s := range v.streams[key] {
		select {
		case s.frames <- queued:
		default:
			s.end()
		}
	}
}

// tunnel connects the client of a stream with the simulated venue.
func (v *cannedPart) tunnel(c *fasthttp.RequestCtx) {
	head := bytes.Clone(c.Request.Header.Header())
	c.HijackSetNoResponse(true)
	c.Hijack(func(client net.Conn) {
		sim, err := (&net.Dialer{Timeout: orderAnswerMax}).DialContext(context.Background(), "tcp", v.sim.Addr)
		if err != nil {
			return
		}
		defer func() { _ = sim.Close() }()
		if _, err := sim.Write(head); err != nil {
			return
		}
		var copying sync.WaitGroup
		copying.Go(func() {
			_, _ = io.Copy(sim, client)
			_ = sim.Close()
		})
		_, _ = io.Copy(client, sim)
		_ = client.Close()
		copying.Wait()
	})
}
