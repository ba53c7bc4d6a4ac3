package okx

import (
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// statusRecord is a row of GET /api/v5/system/status.
type statusRecord struct {
	State       string `json:"state"`
	ServiceType string `json:"serviceType"`
	Env         string `json:"env"`
	End         moment `json:"end"`
}

// tradingServices are the services whose maintenance concerns trading here:
// streams, trading, and trading of some accounts or products.
var tradingServices = []string{"0", "5", "8", "9"}

// maintenanceRetry is when to come back to a maintenance without an end.
const maintenanceRetry = time.Minute

// explainAbsence asks, once the venue said that its service is unavailable,
// whether that is a maintenance, and until when.
func (c *Connector) explainAbsence(ctx context.Context, cause error) error {
	e, ok := errors.AsType[*venues.Error](cause)
	if !ok {
		return cause
	}
	var rows []statusRecord
	r := publicRequest("/api/v5/system/status", params{{"state", "ongoing"}}, 1, restclient.LaneHistory)
	if c.once(ctx, r, &rows) != nil {
		return cause
	}
	environment := "1"
	if c.options.Simulated {
		environment = "2"
	}
	for _, row := range rows {
		if row.State != "ongoing" || row.Env != environment || !slices.Contains(tradingServices, row.ServiceType) {
			continue
		}
		away := *e
		away.Code, away.Message, away.RetryAfter = venues.CodeMaintenance, "the venue is under maintenance", maintenanceRetry
		if left := row.End.Sub(c.clock.Now()); !row.End.IsZero() && left > 0 {
			away.RetryAfter = left
		}
		return &away
	}
	return cause
}
