package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/zap"

	"venuegate/venues"
)

func TestLoggerRedacts(t *testing.T) {
	var out bytes.Buffer
	log, err := newLogger(LogConfig{Format: logJSON, Level: "info"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	failed := &url.Error{Op: "Post", URL: "https://venue.example/order?symbol=BTCUSDT&signature=feedbeef&apiKey=k1", Err: errors.New("reset")}
	log.With(zap.String("peer", "listenKey=abc")).Info("sent with Bearer abc.def",
		zap.Error(failed),
		zap.Stringer("secret", venues.Secret("hidden")),
		zap.String("order_id", "ord_1"),
		zap.NamedError("absent", nil),
	)
	line := out.String()
	for _, secret := range []string{"feedbeef", "k1", "abc", "hidden"} {
		if strings.Contains(line, secret) {
			t.Errorf("line = %s, want no %q in it", line, secret)
		}
	}
	for _, kept := range []string{"ord_1", "symbol=BTCUSDT", "reset", redactedText} {
		if !strings.Contains(line, kept) {
			t.Errorf("line = %s, want %q in it", line, kept)
		}
	}
}

func TestLoggerFormats(t *testing.T) {
	var out bytes.Buffer
	log, err := newLogger(LogConfig{Format: logJSON, Level: "warn"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("below the level")
	log.Warn("two\nlines")
	var entry map[string]any
	if err := json.Unmarshal(out.Bytes(), &entry); err != nil {
		t.Fatalf("log = %s, want one JSON object per line: %v", out.String(), err)
	}
	if entry["msg"] != "two\nlines" || entry["level"] != "warn" || entry["time"] == nil {
		t.Errorf("entry = %v, want a warning of two lines with its time", entry)
	}

	out.Reset()
	log, err = newLogger(LogConfig{Format: logConsole, Level: "debug"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("for people")
	if !strings.Contains(out.String(), "DEBUG\tfor people") {
		t.Errorf("console line = %q, want DEBUG and the message", out.String())
	}
}

// TestLoggerSamplesNothing checks that equal lines at the same time are all written.
func TestLoggerSamplesNothing(t *testing.T) {
	var out bytes.Buffer
	log, err := newLogger(LogConfig{Format: logJSON, Level: "info"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	const lines = 500
	for range lines {
		log.Info("order placed")
	}
	if n := strings.Count(out.String(), "\n"); n != lines {
		t.Errorf("lines = %d, want %d", n, lines)
	}
}
