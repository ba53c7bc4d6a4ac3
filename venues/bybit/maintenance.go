package bybit

import (
	"context"
	"errors"
	"slices"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

// statusRecord is a row of GET /v5/system/status.
type statusRecord struct {
	State        string   `json:"state"`
	End          integer  `json:"end"`
	ServiceTypes []int    `json:"serviceTypes"`
	Product      []int    `json:"product"`
	UIDSuffix    []string `json:"uidSuffix"`
	Env          int      `json:"env"`
}

// Values in the venue's maintenance notices.
const (
	environmentLive = 1
	environmentDemo = 2
	productFutures  = 1
)

// tradingServices are the services whose maintenance affects trading: trading, trading by
// REST and by WebSocket, the private stream.
var tradingServices = []int{1, 2, 3, 4}

// isUnavailable reports whether a request failed as it does during a maintenance.
func isUnavailable(err error) bool {
	return errors.Is(err, connector.ErrUnavailable) || slices.Contains([]int{codeTimeout, codeServerError, codeRestarting}, rejection.CodeOf(err))
}

// maintenanceNotice reads the venue's maintenance notices. Notices for some accounts only
// are ignored.
func (c *Connector) maintenanceNotice(ctx context.Context) (restclient.Notice, error) {
	var answer struct {
		List []statusRecord `json:"list"`
	}
	if err := c.once(ctx, get("/v5/system/status", nil, nil, restclient.PriorityReconcile), &answer); err != nil {
		return restclient.Notice{}, err
	}
	for _, row := range answer.List {
		if row.State == "ongoing" && row.concerns(c.options.Simulated) {
			return restclient.Notice{Ongoing: true, Left: row.End.time().Sub(c.Clock.Now())}, nil
		}
	}
	return restclient.Notice{}, nil
}

func (r *statusRecord) concerns(simulated bool) bool {
	environment := environmentLive
	if simulated {
		environment = environmentDemo
	}
	return r.Env == environment && len(r.UIDSuffix) == 0 && slices.Contains(r.Product, productFutures) &&
		slices.ContainsFunc(r.ServiceTypes, func(service int) bool { return slices.Contains(tradingServices, service) })
}
