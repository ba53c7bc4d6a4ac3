package bybit

import "venuegate/venues/internal/restclient"

// newShortClient replaces a connector's REST client by one with its present
// timeout.
func newShortClient(c *Connector) *restclient.Client {
	c.rest.Close()
	return restclient.New(restclient.Options{BaseURL: c.options.RESTURL, Timeout: c.options.Timeout}, c.gate)
}
