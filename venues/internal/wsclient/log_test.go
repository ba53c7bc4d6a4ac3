package wsclient_test

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// capture returns a logger whose lines, fields included, go to a channel.
func capture(lines chan<- string) *zap.Logger { return captureFrom(zapcore.DebugLevel, lines) }

// captureWarnings is capture for warnings and above.
func captureWarnings(lines chan<- string) *zap.Logger { return captureFrom(zapcore.WarnLevel, lines) }

func captureFrom(level zapcore.Level, lines chan<- string) *zap.Logger {
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "m"}), sink{lines}, level))
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
