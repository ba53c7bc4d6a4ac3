package okxsim

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// frame is one public message of a recording.
type frame struct {
	at      time.Duration // by the venue's clock
	channel string
	instID  string
	// whole says that the message is a snapshot.
	whole bool
	data  json.RawMessage
}

func (f frame) time() time.Duration { return f.at }

// parseFrame reads a line: a message of a public channel, alone or as the member
// msg of what a recorder wrote around it. The time is the venue's own.
func parseFrame(line []byte) (frame, bool) {
	var message struct {
		Arg struct {
			Channel string `json:"channel"`
			InstID  string `json:"instId"`
		} `json:"arg"`
		Action string          `json:"action"`
		Data   json.RawMessage `json:"data"`
		Inner  json.RawMessage `json:"msg"`
	}
	if json.Unmarshal(line, &message) != nil {
		return frame{}, false
	}
	if message.Arg.Channel == "" && len(message.Inner) > 0 && message.Inner[0] == '{' && json.Unmarshal(message.Inner, &message) != nil {
		return frame{}, false
	}
	if message.Arg.Channel != channelBooks && message.Arg.Channel != channelTrades {
		return frame{}, false
	}
	var stamped []struct {
		TS int64 `json:"ts,string"`
	}
	const millisMax = 1 << 43
	if json.Unmarshal(message.Data, &stamped) != nil || len(stamped) == 0 || stamped[0].TS <= 0 || stamped[0].TS >= millisMax {
		return frame{}, false
	}
	return frame{
		at:      time.Duration(stamped[0].TS) * time.Millisecond,
		channel: message.Arg.Channel, instID: message.Arg.InstID,
		whole: message.Action == "snapshot", data: message.Data,
	}, true
}

// recorded is an instrument of a recording as it is played.
type recorded struct {
	listing *listing
	// perUnit is how many contracts a recorded unit of quantity is.
	perUnit decimal.Decimal
}

// recordedAs finds the swap that a recorded instrument is played as: itself, or
// for a pair of the spot market the swap of that pair.
func (s *Sim) recordedAs(instID string) (recorded, bool) {
	if l := s.listings[instID]; l != nil {
		return recorded{l, decimal.NewFromInt(1)}, true
	}
	if l := s.listings[instID+"-SWAP"]; l != nil && strings.Count(instID, "-") == 1 {
		return recorded{l, decimal.NewFromInt(1).Div(l.ContractSize)}, true
	}
	return recorded{}, false
}

// contracts is a recorded quantity in contracts, cut to whole lots.
func (r *recorded) contracts(qty decimal.Decimal) decimal.Decimal {
	lots, _ := qty.Mul(r.perUnit).QuoRem(r.listing.StepSize, 0)
	return lots.Mul(r.listing.StepSize)
}

// changes are the levels of recorded rows.
func (r *recorded) changes(x *simcore.Exchange, side simcore.Side, rows [][]string) []simcore.LevelChange {
	changes := make([]simcore.LevelChange, 0, len(rows))
	for _, row := range rows {
		if len(row) < 2 {
			continue
		}
		price, badPrice := venues.ParseDecimal(row[0])
		qty, badQty := venues.ParseDecimal(row[1])
		if badPrice != nil || badQty != nil {
			continue
		}
		if c, ok := x.ChangeOf(r.listing.Symbol, side, simcore.Level{Price: price, Qty: r.contracts(qty)}); ok {
			changes = append(changes, c)
		}
	}
	return changes
}
