package bybit

import (
	"context"
	"errors"
	"slices"

	"venuegate/venues/internal/refusal"
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

// The venue's numbers in its notices of maintenance.
const (
	environmentLive = 1
	environmentDemo = 2
	productFutures  = 1
)

// tradingServices are the services whose maintenance concerns trading here: trading,
// trading by REST and by WebSocket, the private stream.
var tradingServices = []int{1, 2, 3, 4}

// errAway is an answer of a server that is broken or absent, or of something that
// stands before it.
var errAway = errors.New("the venue is away")

// isAway says whether a request was turned away as it is during a maintenance.
func isAway(err error) bool {
	return errors.Is(err, errAway) || slices.Contains([]int{codeTimeout, codeServerError, codeRestarting}, refusal.CodeOf(err))
}

// notice reads what the venue tells of its maintenance. One that is of some accounts
// alone says nothing of ours.
func (c *Connector) notice(ctx context.Context) (restclient.Notice, error) {
	var answer struct {
		List []statusRecord `json:"list"`
	}
	if err := c.once(ctx, get("/v5/system/status", nil, nil, restclient.LaneReconcile), &answer); err != nil {
		return restclient.Notice{}, err
	}
	for _, row := range answer.List {
		if row.State == "ongoing" && row.concerns(c.options.Simulated) {
			return restclient.Notice{Ongoing: true, Left: row.End.time().Sub(c.clock.Now())}, nil
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
