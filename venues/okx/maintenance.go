package okx

import (
	"context"
	"errors"
	"slices"

	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

// statusRecord is a row of GET /api/v5/system/status.
type statusRecord struct {
	State       string `json:"state"`
	ServiceType string `json:"serviceType"`
	Env         string `json:"env"`
	End         moment `json:"end"`
}

// The venue's numbers of its environments.
const (
	environmentLive = "1"
	environmentDemo = "2"
)

var (
	// tradingServices are the services whose maintenance concerns trading here:
	// streams, trading, and trading of some accounts or products.
	tradingServices = []string{"0", "5", "8", "9"}
	// closedStates are those in which orders are not taken, or not all of them.
	closedStates = []string{"ongoing", "pre_open"}
)

// errAway is an answer of a server that is broken or absent, or of something that
// stands before it.
var errAway = errors.New("the venue is away")

// isAway says whether a request was turned away as it is during a maintenance.
func isAway(err error) bool {
	return errors.Is(err, errAway) || slices.Contains([]int{codeServiceUnavailable, codeSystemBusy, codeSystemError}, refusal.CodeOf(err))
}

// notice reads what the venue tells of its maintenance.
func (c *Connector) notice(ctx context.Context) (restclient.Notice, error) {
	var rows []statusRecord
	r := publicRequest("/api/v5/system/status", nil, 1, restclient.LaneReconcile)
	if err := c.once(ctx, r, &rows); err != nil {
		return restclient.Notice{}, err
	}
	environment := environmentLive
	if c.options.Simulated {
		environment = environmentDemo
	}
	for _, row := range rows {
		if row.Env == environment && slices.Contains(closedStates, row.State) && slices.Contains(tradingServices, row.ServiceType) {
			return restclient.Notice{Ongoing: true, Left: row.End.Sub(c.clock.Now())}, nil
		}
	}
	return restclient.Notice{}, nil
}
