package okxsim

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// frame is one public message of a recording.
type frame struct {
	at      time.Duration // by the venue's clock
	channel string
	instID  string
	// whole reports whether the message is a snapshot.
	whole bool
	data  json.RawMessage
}

func (f frame) time() time.Duration { return f.at }

// parseFrame parses a line: a message of a public channel, alone or as the member msg
// of a recorder's envelope. The time is the venue's own.
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

// recordedAs returns the swap that a recorded instrument is played as, and how its
// quantities become contracts, cut to whole lots. It is the instrument itself, or
// the swap of a pair of the spot market, or nil.
func (s *Sim) recordedAs(instID string) (l *listing, convert func(decimal.Decimal) decimal.Decimal) {
	perUnit := decimal.NewFromInt(1)
	if l = s.listings[instID]; l == nil && strings.Count(instID, "-") == 1 {
		if l = s.listings[instID+"-SWAP"]; l != nil {
			perUnit = perUnit.Div(l.ContractSize)
		}
	}
	return l, func(qty decimal.Decimal) decimal.Decimal {
		lots, _ := qty.Mul(perUnit).QuoRem(l.StepSize, 0)
		return lots.Mul(l.StepSize)
	}
}
