package okxsim

import (
	"slices"
	"strings"
	"time"

	"venuegate/venues/simcore/simnet"
)

// Channels of reference data. They are published after the subscription and on
// changes, funding and open interest also periodically.
const (
	channelLimit    = "price-limit"
	channelIndex    = "index-tickers"
	channelFunding  = "funding-rate"
	channelInterest = "open-interest"
	channelStatus   = "status"
)

func isReference(channel string) bool {
	return slices.Contains([]string{channelLimit, channelIndex, channelFunding, channelInterest}, channel)
}

type indexBody struct {
	InstID  string `json:"instId"`
	IdxPx   string `json:"idxPx"`
	High24h string `json:"high24h"`
	Low24h  string `json:"low24h"`
	Open24h string `json:"open24h"`
	SodUTC0 string `json:"sodUtc0"`
	SodUTC8 string `json:"sodUtc8"`
	TS      string `json:"ts"`
}

type interestBody struct {
	InstID   string `json:"instId"`
	InstType string `json:"instType"`
	OI       string `json:"oi"`
	OICcy    string `json:"oiCcy"`
	TS       string `json:"ts"`
}

// indexOf returns the index of an instrument. Its figures of a day are those of the instrument:
// the exchange has no history of an index.
func (s *Sim) indexOf(l *listing) indexBody {
	prices, _ := s.Exchange().Mark(l.Symbol)
	day := s.tickerOf(l)
	return indexBody{
		InstID: l.family(), IdxPx: prices.Index.String(), High24h: day.High24h, Low24h: day.Low24h, Open24h: day.Open24h,
		SodUTC0: day.SodUTC0, SodUTC8: day.SodUTC8, TS: millis(s.Clock.Now()),
	}
}

// referenceOf returns the data of a reference channel for an instrument.
func (s *Sim) referenceOf(channel string, l *listing) any {
	now := s.Clock.Now()
	switch channel {
	case channelLimit:
		return []priceLimitBody{s.priceLimitOf(l)}
	case channelIndex:
		return []indexBody{s.indexOf(l)}
	case channelFunding:
		return []fundingBody{s.fundingOf(l)}
	default:
		contracts := s.Exchange().OpenInterest(l.Symbol)
		return []interestBody{{
			InstID: l.Symbol, InstType: instTypeSwap, OI: contracts.String(), OICcy: l.baseQty(contracts).String(), TS: millis(now),
		}}
	}
}

// listingOf returns the instrument of a channel, by its family for an index channel.
func (s *Sim) listingOf(arg *channelArg) (*listing, bool) {
	name := arg.InstID
	if arg.Channel == channelIndex {
		name += "-SWAP"
	}
	l, known := s.listings[name]
	return l, known
}

// flushReference publishes the reference data of instruments that moved, or of all.
func (h *hub) flushReference(everything bool) {
	h.mu.Lock()
	moved := h.marked
	h.marked = map[string]bool{}
	h.mu.Unlock()
	for _, channel := range []string{channelLimit, channelIndex, channelFunding, channelInterest} {
		for _, arg := range h.wanted(channel + ":") {
			l, known := h.sim.listingOf(&arg)
			if !known || !everything && !moved[l.Symbol] {
				continue
			}
			body := h.sim.referenceOf(channel, l)
			h.mu.Lock()
			h.publish(channel, arg.InstID, "", body)
			h.mu.Unlock()
		}
	}
}

// flushStatus publishes the begin and the end of a maintenance.
func (h *hub) flushStatus(now time.Time) {
	rows := h.sim.maintenance(now)
	h.mu.Lock()
	defer h.mu.Unlock()
	if ongoing := len(rows) > 0; ongoing != h.underMaintenance {
		h.underMaintenance = ongoing
		if !ongoing {
			rows = []statusBody{h.sim.maintenanceRow(now, "completed")}
		}
		for topic, subs := range h.topics {
			if channel, _, _ := strings.Cut(topic, ":"); channel != channelStatus {
				continue
			}
			for sub := range subs {
				h.sendLocked(sub.client, channelStatus, simnet.Encode(pushBody{Arg: channelArg{Channel: channelStatus}, Data: rows}))
			}
		}
	}
}

// maintenance returns the maintenance that an injected fault makes now, if any.
func (s *Sim) maintenance(now time.Time) []statusBody {
	if len(s.Maintenances()) == 0 {
		return []statusBody{}
	}
	return []statusBody{s.maintenanceRow(now, "ongoing")}
}

func (s *Sim) maintenanceRow(now time.Time, state string) statusBody {
	env := "1"
	if s.options.DemoTrading {
		env = "2"
	}
	return statusBody{
		Begin: millis(now.Add(-time.Minute)), End: millis(now.Add(time.Hour)), Env: env, MaintType: "1",
		ServiceType: "5", State: state, System: "unified", Title: "Trading system maintenance", TS: millis(now),
	}
}
