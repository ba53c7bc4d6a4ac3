package okx

import (
	"context"
	"errors"
	"slices"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

// statusRecord is a row of GET /api/v5/system/status.
type statusRecord struct {
	State       string    `json:"state"`
	ServiceType string    `json:"serviceType"`
	Env         string    `json:"env"`
	End         milliTime `json:"end"`
}

// Values of env in the venue's notices.
const (
	environmentLive = "1"
	environmentDemo = "2"
)

var (
	// tradingServices are the values of serviceType whose maintenance affects trading:
	// WebSocket (0), trading (5), trading of some accounts (8) and of some products (9).
	tradingServices = []string{"0", "5", "8", "9"}
	// maintenanceStates are the states of a notice in which not all orders are accepted.
	maintenanceStates = []string{"ongoing", "pre_open"}
)

// isUnavailable reports whether a request failed as it does during a maintenance.
func isUnavailable(err error) bool {
	return errors.Is(err, connector.ErrUnavailable) || slices.Contains([]int{codeServiceUnavailable, codeSystemBusy, codeSystemError}, rejection.CodeOf(err))
}

// maintenanceNotice reads the venue's maintenance notices.
func (c *Connector) maintenanceNotice(ctx context.Context) (restclient.Notice, error) {
	var rows []statusRecord
	r := publicRead("/api/v5/system/status", nil, 1, restclient.PriorityReconcile)
	if err := c.sendOnce(ctx, r, &rows); err != nil {
		return restclient.Notice{}, err
	}
	environment := environmentLive
	if c.options.Simulated {
		environment = environmentDemo
	}
	for _, row := range rows {
		if row.Env == environment && slices.Contains(maintenanceStates, row.State) && slices.Contains(tradingServices, row.ServiceType) {
			return restclient.Notice{Ongoing: true, Left: row.End.Sub(c.Clock.Now())}, nil
		}
	}
	return restclient.Notice{}, nil
}
