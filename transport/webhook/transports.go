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
	// transportsMax bounds the endpoints that keep idle connections.
	transportsMax      = 1024
	connIdleMax        = 30 * time.Second
	tlsHandshakeMax    = 5 * time.Second
	connBufferBytesMax = 4 << 10
)

// transports has a transport for each endpoint. The limit of a shared transport is per
// host: an endpoint that hangs would block the others on its host.
type transports struct {
	options Options

	mu   sync.Mutex
	byID map[string]*transport
}

// transport is used without an http.Client, which would follow redirects.
type transport struct {
	http.Transport
	usedAt time.Time
}

func newTransports(o Options) *transports {
	return &transports{options: o, byID: map[string]*transport{}}
}

// of returns the transport of an endpoint.
func (c *transports) of(endpoint string, now time.Time) http.RoundTripper {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.byID[endpoint]
	if found == nil {
		if len(c.byID) >= transportsMax {
			c.evictOldest()
		}
		found = newTransport(c.options)
		c.byID[endpoint] = found
	}
	found.usedAt = now
	return found
}

// evictOldest removes the least recently used transport. Its running requests
// continue.
func (c *transports) evictOldest() {
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

// newTransport returns the transport of one endpoint. Proxy is nil: a proxy of the
// environment would dial without the policy.
func newTransport(o Options) *transport {
	return &transport{Transport: http.Transport{
		DialContext:            o.Policy.dialer(o.Resolver).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    tlsHandshakeMax,
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: responseHeaderBytesMax,
		MaxConnsPerHost:        ConnsPerEndpoint,
		MaxIdleConnsPerHost:    ConnsPerEndpoint,
		MaxIdleConns:           ConnsPerEndpoint,
		IdleConnTimeout:        connIdleMax,
		ReadBufferSize:         connBufferBytesMax,
		WriteBufferSize:        connBufferBytesMax,
		DisableCompression:     true,
	}}
}
