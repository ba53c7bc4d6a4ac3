package badgerstore

import (
	"fmt"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// badgerLogger writes badger's messages to zap, its information at debug level.
type badgerLogger struct{ log *zap.Logger }

func (l badgerLogger) write(level zapcore.Level, format string, args []any) {
	if entry := l.log.Check(level, "badger"); entry != nil {
		entry.Write(zap.String("text", strings.TrimSpace(fmt.Sprintf(format, args...))))
	}
}

// Errorf implements badger.Logger.
func (l badgerLogger) Errorf(format string, args ...any) { l.write(zap.ErrorLevel, format, args) }

// Warningf implements badger.Logger.
func (l badgerLogger) Warningf(format string, args ...any) { l.write(zap.WarnLevel, format, args) }

// Infof implements badger.Logger.
func (l badgerLogger) Infof(format string, args ...any) { l.write(zap.DebugLevel, format, args) }

// Debugf implements badger.Logger. It drops badger's debug messages, which are too many.
func (l badgerLogger) Debugf(string, ...any) {}
