package registry

import (
	"context"
	"fmt"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// hookStatsPeriod is the time up to now for which HookStats counts.
	hookStatsPeriod = 24 * time.Hour
	// hookStatsSignalsMax bounds the signals that HookStats counts, newest first.
	hookStatsSignalsMax = 5 * persistence.PageSizeMax
)

// HookStats are the numbers of a channel: the signals that it received since a time.
type HookStats struct {
	Since venues.Time `json:"since"`
	// LastSignalAt is when the channel last received a signal; null if it never did.
	LastSignalAt venues.Time `json:"lastSignalAt"`
	// Statuses are the numbers of the signals by what became of them.
	Statuses HookStatuses `json:"statuses"`
	// Complete is false if more than hookStatsSignalsMax were received. The newest were counted.
	Complete bool `json:"complete"`
	// FailedProofs is the number of requests since FailedProofsSince whose sender was not
	// authenticated. It is not stored: it begins at the start of the service.
	FailedProofs      int         `json:"failedProofs"`
	FailedProofsSince venues.Time `json:"failedProofsSince"`
}

// HookStatuses are numbers of signals by their status.
type HookStatuses struct {
	Accepted int `json:"accepted"`
	Running  int `json:"running"`
	Done     int `json:"done"`
	Rejected int `json:"rejected"`
	Expired  int `json:"expired"`
	Ignored  int `json:"ignored"`
	Test     int `json:"test"`
}

func (s *HookStatuses) add(status persistence.SignalStatus) {
	switch status {
	case persistence.SignalAccepted:
		s.Accepted++
	case persistence.SignalRunning:
		s.Running++
	case persistence.SignalDone:
		s.Done++
	case persistence.SignalRejected:
		s.Rejected++
	case persistence.SignalExpired:
		s.Expired++
	case persistence.SignalIgnored:
		s.Ignored++
	case persistence.SignalTested:
		s.Test++
	}
}

// Stats returns the numbers of a channel.
func (h *Hooks) Stats(ctx context.Context, id string) (HookStats, error) {
	record, err := h.read(ctx, id)
	if err != nil {
		return HookStats{}, err
	}
	since := time.Now().Add(-hookStatsPeriod)
	stats := HookStats{Since: venues.At(since)}
	last, err := h.store.Signals(ctx, persistence.SignalQuery{Customer: record.Customer, Channel: id, Limit: 1})
	if err != nil {
		return HookStats{}, fmt.Errorf("read the last signal of %s: %w", id, err)
	}
	if len(last.Items) > 0 {
		stats.LastSignalAt = last.Items[0].ReceivedAt
	}
	q := persistence.SignalQuery{Customer: record.Customer, Channel: id, From: since}
	for counted := 0; ; {
		page, err := h.store.Signals(ctx, q)
		if err != nil {
			return HookStats{}, fmt.Errorf("count the signals of %s: %w", id, err)
		}
		for i := range page.Items {
			stats.Statuses.add(page.Items[i].Status)
		}
		counted += len(page.Items)
		if q.After = page.Next; q.After == nil || counted >= hookStatsSignalsMax {
			break
		}
	}
	stats.Complete = q.After == nil
	failed, from := h.failedProofs(id)
	stats.FailedProofs, stats.FailedProofsSince = failed, venues.At(from)
	return stats, nil
}

// Address gives a chart channel a new secret address. The previous one is invalid immediately.
func (h *Hooks) Address(ctx context.Context, id string) (Hook, error) {
	h.audit.Lock()
	defer h.audit.Unlock()
	record, err := h.read(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	if record.Kind != persistence.ChannelChart {
		return Hook{}, venues.Errorf(venues.CodeInvalidRequest, "only the address of a chart is secret")
	}
	address := newSecret()
	record.AddressHash = hashOf(address)
	return h.put(ctx, record, Hook{URL: h.url(record, venues.Secret(address))}, field("action", "address"))
}
