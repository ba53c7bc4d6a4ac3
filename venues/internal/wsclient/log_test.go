package wsclient_test

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// capture is a logger whose lines, fields included, go to a channel.
func capture(lines chan<- string) *zap.Logger {
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "m"}), sink{lines}, zapcore.DebugLevel)
	return zap.New(core)
}

type sink struct{ lines chan<- string }

func (s sink) Write(p []byte) (int, error) {
	select {
	case s.lines <- string(p):
	default:
	}
	return len(p), nil
}

func (s sink) Sync() error { return nil }
