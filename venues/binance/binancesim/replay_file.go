package binancesim

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"venuegate/venues/simcore/recording"
)

// frame is one line of a recording.
type frame struct {
	at time.Duration
	// stream is the name of a stream message; empty for a REST snapshot.
	stream string
	data   []byte
	// symbol of a snapshot, where its line names it.
	symbol string
}

func (f frame) time() time.Duration { return f.at }

// parseFrame parses a line of a recording. It has one of two forms, each a time and
// a JSON value: "<nanoseconds> {...}" and "<seconds>.<fraction>: {...}", the latter
// optionally after the address of a REST call and an arrow. The value is
// a message of a combined stream or a depth snapshot.
func parseFrame(line []byte) (frame, bool) {
	brace := bytes.IndexByte(line, '{')
	if brace <= 0 {
		return frame{}, false
	}
	head, data := string(line[:brace]), bytes.TrimSpace(line[brace:])
	var f frame
	if address, rest, found := strings.Cut(head, " -> "); found {
		f.symbol, head = symbolOfAddress(address), rest
	}
	at, ok := parseReplayTime(strings.TrimSpace(head))
	if !ok {
		return frame{}, false
	}
	f.at = at
	var message struct {
		Stream string          `json:"stream"`
		Data   json.RawMessage `json:"data"`
	}
	if json.Unmarshal(data, &message) != nil {
		return frame{}, false
	}
	if message.Stream == "" {
		f.data = data
		return f, true
	}
	f.stream, f.data = message.Stream, message.Data
	return f, len(message.Data) > 0
}

func symbolOfAddress(address string) string {
	_, query, _ := strings.Cut(address, "symbol=")
	symbol, _, _ := strings.Cut(query, "&")
	return symbol
}

// parseReplayTime parses nanoseconds, or seconds with a fraction and a colon.
func parseReplayTime(text string) (time.Duration, bool) {
	seconds, isEpoch := strings.CutSuffix(text, ":")
	if !isEpoch {
		ns, err := strconv.ParseInt(text, 10, 64)
		return time.Duration(ns), err == nil && ns >= 0
	}
	return recording.ParseSeconds(seconds)
}
