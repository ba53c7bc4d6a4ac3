package bybitsim

import (
	"encoding/json"
	"strings"
	"time"

	"venuegate/venues/simcore/recording"
)

// frame is one public message of a recording.
type frame struct {
	at    time.Duration
	topic string
	// whole reports whether the message is a snapshot.
	whole bool
	data  json.RawMessage
	// raw is the message as it was received.
	raw []byte
}

// symbol returns the last part of the topic.
func (f *frame) symbol() string { return f.topic[strings.LastIndexByte(f.topic, '.')+1:] }

func (f frame) time() time.Duration { return f.at }

// parseFrame parses a line of a recording: a JSON object, which with t "recv" holds
// a message as text and its time in seconds.
func parseFrame(line []byte) (frame, bool) {
	var outer struct {
		Kind string      `json:"t"`
		TS   json.Number `json:"ts"`
		Data string      `json:"data"`
	}
	if json.Unmarshal(line, &outer) != nil || outer.Kind != "recv" {
		return frame{}, false
	}
	var message struct {
		Topic string          `json:"topic"`
		Type  string          `json:"type"`
		Data  json.RawMessage `json:"data"`
	}
	if json.Unmarshal([]byte(outer.Data), &message) != nil || message.Topic == "" || len(message.Data) == 0 {
		return frame{}, false
	}
	at, ok := recording.ParseSeconds(outer.TS.String())
	return frame{
		at: at, topic: message.Topic, whole: message.Type == typeSnapshot, data: message.Data, raw: []byte(outer.Data),
	}, ok
}
