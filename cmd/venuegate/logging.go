package main

import (
	"io"
	"regexp"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLogger returns a logger that writes one JSON object per line, or lines for
// people. Nothing is sampled or buffered: the log of an order is complete, and a
// kill loses no line.
func newLogger(config LogConfig, w io.Writer) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(config.Level)
	if err != nil {
		return nil, err
	}
	core := zapcore.NewCore(newLogEncoder(config.Format), zapcore.Lock(zapcore.AddSync(w)), level)
	return zap.New(redactingCore{core}, zap.ErrorOutput(zapcore.Lock(zapcore.AddSync(w)))), nil
}

func newLogEncoder(format string) zapcore.Encoder {
	if format == logConsole {
		shape := zap.NewDevelopmentEncoderConfig()
		shape.EncodeTime = zapcore.TimeEncoderOfLayout(time.TimeOnly + ".000")
		return zapcore.NewConsoleEncoder(shape)
	}
	shape := zap.NewProductionEncoderConfig()
	shape.TimeKey = "time"
	shape.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	shape.EncodeDuration = zapcore.StringDurationEncoder
	return zapcore.NewJSONEncoder(shape)
}

// redactingCore redacts every line before it is written. Code that handles secrets
// does not log them; this catches errors of foreign code, which may contain the
// URL of a signed request.
type redactingCore struct{ zapcore.Core }

// With redacts the fields of all later lines.
func (c redactingCore) With(fields []zapcore.Field) zapcore.Core {
	return redactingCore{c.Core.With(redactFields(fields))}
}

// Check registers this core, not the wrapped one, as the writer.
func (c redactingCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write redacts one line.
func (c redactingCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	entry.Message = redact(entry.Message)
	return c.Core.Write(entry, redactFields(fields))
}

func redactFields(fields []zapcore.Field) []zapcore.Field {
	clean := make([]zapcore.Field, len(fields))
	for i, f := range fields {
		clean[i] = redactField(f)
	}
	return clean
}

func redactField(f zapcore.Field) zapcore.Field {
	switch f.Type { //nolint:exhaustive // only these types contain text
	case zapcore.StringType:
		f.String = redact(f.String)
	case zapcore.ErrorType:
		if err, ok := f.Interface.(error); ok && err != nil {
			return zap.String(f.Key, redact(err.Error()))
		}
	}
	return f
}

const redactedText = "[redacted]"

// secretPatterns match secrets: parameters of signed requests, bearer tokens, keys
// of this service.
var secretPatterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b((?:signature|sign|api_?key|secret|passphrase|token|listenKey)=)[^&\s"']+`),
	regexp.MustCompile(`(?i)\b(bearer )[A-Za-z0-9._~+/=-]+`),
}

func redact(text string) string {
	for _, pattern := range secretPatterns {
		text = pattern.ReplaceAllString(text, "${1}"+redactedText)
	}
	return text
}
