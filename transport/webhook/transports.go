package webhook

import (
	"crypto/tls"
	"net/http"
	"sync"
	"time"
)

// Limits of connections.
const (
	// ConnsPerEndpoint bounds the connections to one endpoint.
	ConnsPerEndpoint = 4
	// transportsMax is how many endpoints keep connections for their next event.
	transportsMax      = 1024
	connIdleMax        = 30 * time.Second
	tlsHandshakeMax    = 5 * time.Second
	connBufferBytesMax = 4 << 10
)

// transports gives each endpoint connections of its own: the limit of a shared
// transport is by host, so that an endpoint that hangs would hold the others on
// its host.
type transports struct {
	options Options

	mu   sync.Mutex
	byID map[string]*transport
}

// transport is used without a client around it, which would follow redirects.
type transport struct {
	http.Transport
	usedAt time.Time
}

func newTransports(o Options) *transports {
	return &transports{options: o, byID: map[string]*transport{}}
}

// of is the way to an endpoint.
func (c *transports) of(endpoint string, now time.Time) http.RoundTripper {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.byID[endpoint]
	if found == nil {
		if len(c.byID) >= transportsMax {
			c.dropOldest()
		}
		found = newTransport(c.options)
		c.byID[endpoint] = found
	}
	found.usedAt = now
	return found
}

// dropOldest forgets the one that was used longest ago. What it still carries
// comes to its end.
func (c *transports) dropOldest() {
	oldest := ""
	for id, x := range c.byID {
		if oldest == "" || x.usedAt.Before(c.byID[oldest].usedAt) {
			oldest = id
		}
	}
	c.byID[oldest].CloseIdleConnections()
	delete(c.byID, oldest)
}

func (c *transports) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.byID {
		x.CloseIdleConnections()
	}
}

// newTransport is the way to one endpoint. Proxy stays nil: a proxy from the
// environment would dial where the guard does not see it.
func newTransport(o Options) *transport {
	return &transport{Transport: http.Transport{
		DialContext:            o.Guard.dialer(o.Resolver).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    tlsHandshakeMax,
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: answerHeaderBytesMax,
		MaxConnsPerHost:        ConnsPerEndpoint,
		MaxIdleConnsPerHost:    ConnsPerEndpoint,
		MaxIdleConns:           ConnsPerEndpoint,
		IdleConnTimeout:        connIdleMax,
		ReadBufferSize:         connBufferBytesMax,
		WriteBufferSize:        connBufferBytesMax,
		DisableCompression:     true,
	}}
}
