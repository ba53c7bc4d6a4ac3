package binance

import (
	"context"
	"errors"
	"net/http"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/restclient"
)

// systemMaintenance is the status of a maintenance in GET /sapi/v1/system/status.
const systemMaintenance = 1

// isUnavailable reports whether a request failed as it does during a maintenance.
func isUnavailable(err error) bool { return errors.Is(err, connector.ErrUnavailable) }

// maintenanceNotice reads the venue's maintenance notices. Futures have none of their
// own: the notices of the whole venue, without an end, are only on the host of its keys.
func (c *Connector) maintenanceNotice(ctx context.Context) (restclient.Notice, error) {
	if c.keys == nil {
		return restclient.Notice{}, nil
	}
	var answer struct {
		Status int `json:"status"`
	}
	r := request{method: http.MethodGet, path: "/sapi/v1/system/status", keyHost: true, priority: restclient.PriorityReconcile}
	if err := c.once(ctx, r, &answer); err != nil {
		return restclient.Notice{}, err
	}
	return restclient.Notice{Ongoing: answer.Status == systemMaintenance}, nil
}
