package connector

import (
	"context"
	"sync/atomic"

	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

// OrderEntry is an account's WebSocket connection for orders. The zero value has none, and
// orders go by REST. It is safe for concurrent use.
type OrderEntry struct {
	calls atomic.Pointer[wscall.Client]
}

// Open makes the connection. closeEntry closes it; orders go by REST from then on.
func (e *OrderEntry) Open(o wscall.Options) (closeEntry func()) {
	calls := wscall.New(o)
	e.calls.Store(calls)
	return func() {
		e.calls.CompareAndSwap(calls, nil)
		calls.Close()
	}
}

// Up reports whether an order would be sent on the connection now.
func (e *OrderEntry) Up() bool {
	calls := e.calls.Load()
	return calls != nil && calls.Up()
}

// Transport returns the transport that sends a request on the connection by send; nil if no
// order can be sent on it now.
func (e *OrderEntry) Transport(send func(context.Context, *wscall.Client) (*restclient.Answer, error)) restclient.Transport {
	calls := e.calls.Load()
	if calls == nil || !calls.Up() {
		return nil
	}
	return func(ctx context.Context) (*restclient.Answer, error) { return send(ctx, calls) }
}
