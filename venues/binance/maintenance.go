package binance

import (
	"context"
	"errors"
	"net/http"

	"venuegate/venues/internal/restclient"
)

// errAway is an answer of a server that is broken or absent, or of something that
// stands before it.
var errAway = errors.New("the venue is away")

// systemMaintenance is the status of a venue under maintenance in GET
// /sapi/v1/system/status.
const systemMaintenance = 1

// isAway says whether a request was turned away as it is during a maintenance.
func isAway(err error) bool { return errors.Is(err, errAway) }

// notice reads what the venue tells of its maintenance. Futures have no notices of
// their own: those of the whole venue are shown on the host of its keys, without an
// end, and nowhere else.
func (c *Connector) notice(ctx context.Context) (restclient.Notice, error) {
	if c.keys == nil {
		return restclient.Notice{}, nil
	}
	var answer struct {
		Status int `json:"status"`
	}
	r := request{method: http.MethodGet, path: "/sapi/v1/system/status", keyHost: true, lane: restclient.LaneReconcile}
	if err := c.once(ctx, r, &answer); err != nil {
		return restclient.Notice{}, err
	}
	return restclient.Notice{Ongoing: answer.Status == systemMaintenance}, nil
}
