package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	venuegate "venuegate/transport/clients/go"
)

// TestScreenHasNoEscapes checks that the texts of a message and of an error cannot control the
// terminal, and that a wait is not shown as shorter than it is.
func TestScreenHasNoEscapes(t *testing.T) {
	s := newScreen(io.Discard, nil)
	topic := message(venuegate.TypeUpdate, `{"side":"\u001b[2Jbuy","price":"1","qty":"1","ts":"2026-11-20T09:19:00.123Z"}`)
	topic.Topic = "trades:okx:BTC\x1b]0;x\x07"
	for _, m := range []venuegate.Message{
		{Type: venuegate.TypeConnected},
		topic,
		{Type: venuegate.TypeDisconnected, Err: errors.New("closed: \x1b[2J"), RetryIn: 110 * time.Millisecond},
	} {
		if err := s.apply(m); err != nil {
			t.Fatal(err)
		}
	}
	frame := string(s.frame(200, 10))
	text := strings.NewReplacer(ansiHome, "", ansiClearLine, "", ansiClearBelow, "", "\r\n", "\n").Replace(frame)
	if strings.ContainsAny(text, "\x1b\x07") {
		t.Errorf("frame = %q, want no sequence of a sender", text)
	}
	for _, want := range []string{"BTC\uFFFD]0;x\uFFFD", "\uFFFD[2Jbuy", "closed: \uFFFD[2J", "connecting again in 200ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("frame = %q, want %q in it", text, want)
		}
	}
}
