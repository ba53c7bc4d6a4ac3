package notify_test

import (
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/hostiletest"
	"venuegate/venues"
)

func TestMain(m *testing.M) {
	if crashChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

// waitMax bounds waits on the slowest machine; only a failing test reaches it.
const waitMax = time.Minute

var now = time.Date(2026, 1, 1, 0, 0, 0, 5e6, time.UTC)

// unsealed opens secrets that are sealed as "endpoint id|secret".
func unsealed(sealed []byte, of persistence.Key) (venues.Secret, error) {
	secret, ok := strings.CutPrefix(string(sealed), of.ID+"|")
	if !ok {
		return "", errors.New("sealed for another record")
	}
	return venues.Secret(secret), nil
}

func sealed(secret string) []byte { return []byte("end_1|" + secret) }

func newEvent(id string, kind persistence.EventType, data any) persistence.Event {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return persistence.Event{ID: id, Seq: 7, Type: kind, CreatedAt: venues.At(now), Data: text}
}

type members map[string]any

// closed returns the event of a closed trade.
func closed(id, comment string) persistence.Event {
	return newEvent(id, persistence.EventPositionClosed, members{
		"exchange": "binance", "symbol": "BTCUSDT", "side": "long", "qty": "0.5", "entryPrice": "64000.1",
		"exitPrice": "64100.2", "realizedPnl": "50.05", "fee": "-0.000000000000000001", "reason": "take_profit",
		"openedAt": "2025-12-31T23:00:00.000Z", "comment": comment,
	})
}

// closedRow is the row of closed without its last two cells.
var closedRow = []string{
	"2026-01-01T00:00:00.005Z", "binance:BTCUSDT", "long", "0.5", "64000.1", "64100.2", "-0.000000000000000001", "50.05",
}

var headings = []string{
	"Time", "Instrument", "Direction", "Quantity", "Entry price", "Exit price", "Fee", "P&L", "Comment", "Event ID",
}

// isFieldError reports whether an error is invalid_request for one field with a
// documented rule, and whether its message contains a text.
func isFieldError(err error, field, text string) bool {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeInvalidRequest {
		return false
	}
	fields, _ := e.Details["fields"].([]venues.FieldError)
	return len(fields) == 1 && fields[0].Field == field && slices.Contains(api.Rules(), fields[0].Rule) &&
		strings.HasPrefix(e.Message, field+": ") && strings.Contains(e.Message, text)
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// hostileScripts send responses that no API sends.
var hostileScripts = map[string]func(net.Conn){
	"closes":           func(c net.Conn) { c.Close() },
	"resets":           func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); c.Close() },
	"sends nothing":    func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
	"another protocol": func(c net.Conn) { hostiletest.Write(c, "SSH-2.0-OpenSSH\r\n\r\n") },
	"empty body":       func(c net.Conn) { hostiletest.Write(c, head+"Content-Length: 0\r\n\r\n") },
	"garbage":          func(c net.Conn) { hostiletest.Write(c, head+"Connection: close\r\n\r\n\x00\xff{{{"); c.Close() },
	"null members": func(c net.Conn) {
		hostiletest.Write(c, head+"Connection: close\r\n\r\n"+`{"ok":null,"error":null}`)
		c.Close()
	},
	"other types": func(c net.Conn) {
		hostiletest.Write(c, head+"Connection: close\r\n\r\n"+`{"ok":"yes","valueRanges":7}`)
		c.Close()
	},
	"deep nesting": func(c net.Conn) {
		hostiletest.Write(c, head+"Connection: close\r\n\r\n"+strings.Repeat("[", 100_000))
		c.Close()
	},
	"stops within the body": func(c net.Conn) {
		hostiletest.Write(c, head+"Content-Length: 99999\r\n\r\n{")
		_, _ = c.Read(make([]byte, 1))
	},
	"closes within the body": func(c net.Conn) { hostiletest.Write(c, head+"Content-Length: 99999\r\n\r\n{"); c.Close() },
	"bad gateway":            func(c net.Conn) { hostiletest.Write(c, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>") },
	"switches protocols": func(c net.Conn) {
		hostiletest.Write(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
	},
	"sends headers without end": func(c net.Conn) {
		for ok := hostiletest.Write(c, head); ok; ok = hostiletest.Write(c, "X-More: "+strings.Repeat("x", 4000)+"\r\n") {
		}
	},
	"continues without end": func(c net.Conn) {
		for hostiletest.Write(c, "HTTP/1.1 100 Continue\r\n\r\n") {
		}
	},
	"sends a body without end": func(c net.Conn) {
		for ok := hostiletest.Write(c, head+"\r\n{\"ok\":true,\"a\":\""); ok; ok = hostiletest.Write(c, strings.Repeat("x", 32<<10)) {
		}
	},
	"sends an error without end": func(c net.Conn) {
		for ok := hostiletest.Write(c, "HTTP/1.1 500 Oops\r\n\r\n"); ok; ok = hostiletest.Write(c, strings.Repeat("x", 32<<10)) {
		}
	},
}
