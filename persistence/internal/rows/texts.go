package rows

import (
	"encoding/binary"
	"fmt"

	"github.com/oklog/ulid/v2"
)

// A text begins with one byte:
//
//	0 to 63     the length of the text, which follows
//	64          a longer text: its length as a uvarint, then the text
//	65          an id: the text before its ULID, then the 16 bytes of the ULID
//	66, 67      an id with the ULID of the reference, in upper or lower case: the text
//	            before the ULID
//	68          null, in the data of an event
//	128 to 255  the word with the number of the byte less 128
const (
	textShortMax       = 63
	textLong           = 64
	textULID           = 65
	textReference      = 66
	textReferenceLower = 67
	textNull           = 68
	textWord           = 128
)

// words are texts that many records have, each stored as one byte. Their order is stored
// and therefore never changes: a word is added at the end, up to the 128th.
var words = [...]string{
	"ord_", "fil_", "evt_", "jrn_", "sig_", "hook_", "end_", "cus_", "alr_",
	"binance", "bybit", "okx", "BTCUSDT", "ETHUSDT", "SOLUSDT", "USDT", "BNB",
	"buy", "sell", "long", "short", "market", "limit", "stop_market", "stop_limit",
	"gtc", "ioc", "fok", "api", "webhook", "chart", "console", "protection", "venue", "rest",
	"pending", "untriggered", "open", "partially_filled", "filled", "cancelled", "rejected", "expired", "replaced", "unknown",
	"live", "triggered", "failed", "stop_loss", "take_profit", "manual", "maker", "taker",
	"order.filled", "order.partially_filled", "position.closed", "stop.triggered", "alert.fired", "risk.limit_reached", "notification",
	"order.status", "order.adopted", "order.absence_proven", "signal.received", "signal.rule", "delivery.attempt",
	"from", "to", "filled_qty", "side", "qty", "reason", "accepted", "delivered", "undelivered", "done", "ok",
	"orderId", "exchange", "symbol", "orderType", "avgPrice", "fee", "feeCurrency", "source", "comment",
	"fillId", "lastQty", "lastPrice", "filledQty", "remainingQty", "kind", "triggerPrice", "triggeredAt",
	"entryPrice", "exitPrice", "realizedPnl", "openedAt",
}

// wordBytesMax is the length of the longest word.
const wordBytesMax = len("order.partially_filled")

var wordNumbers = func() map[string]byte {
	numbers := make(map[string]byte, len(words))
	for i, word := range words {
		numbers[word] = byte(textWord + i)
	}
	return numbers
}()

// reference is a ULID that a value has already or that is in its key.
type reference struct {
	known  bool
	millis int64
	// upper and lower are its text.
	upper, lower [ulidChars]byte
}

const ulidChars = ulid.EncodedSize

func (r *reference) set(id ulid.ULID) {
	r.known, r.millis = true, int64(id.Time())
	_ = id.MarshalTextTo(r.upper[:]) // It has the size.
	for i, b := range r.upper {
		r.lower[i] = b | ' ' // Digits have the bit already.
	}
}

// cutULID returns the ULID at the end of an id in its canonical form, upper case, and
// the text before it.
func cutULID(id string) (prefix string, found ulid.ULID, ok bool) {
	at := len(id) - ulidChars
	if at < 0 {
		return "", found, false
	}
	for i := at; i < len(id); i++ {
		if b := id[i]; (b < '0' || b > '9') && (b < 'A' || b > 'Z') {
			return "", found, false
		}
	}
	found, err := ulid.ParseStrict(id[at:])
	return id[:at], found, err == nil
}

func (c *codec) writeText(s string) {
	if !c.writeWord(s) && !c.writeID(s) {
		c.writeLiteral(s)
	}
}

func (c *codec) writeLiteral(s string) {
	if len(s) > textShortMax {
		c.out = binary.AppendUvarint(append(c.out, textLong), uint64(len(s)))
	} else {
		c.out = append(c.out, byte(len(s)))
	}
	c.out = append(c.out, s...)
}

// writeWord appends a word, and reports whether s is one.
func (c *codec) writeWord(s string) bool {
	if len(s) > wordBytesMax {
		return false
	}
	number, is := wordNumbers[s]
	if is {
		c.out = append(c.out, number)
	}
	return is
}

// writeID appends an id with a ULID, and reports whether s is one.
func (c *codec) writeID(s string) bool {
	at := len(s) - ulidChars
	if at < 0 || at > textShortMax {
		return false
	}
	switch tail := s[at:]; {
	case c.reference.known && tail == string(c.reference.upper[:]):
		c.out = append(c.out, textReference)
	case c.reference.known && tail == string(c.reference.lower[:]):
		c.out = append(c.out, textReferenceLower)
	default:
		_, id, is := cutULID(s)
		if !is {
			return false
		}
		c.out = append(c.out, textULID)
		c.writePrefix(s[:at])
		c.out = append(c.out, id[:]...)
		c.refer(id)
		return true
	}
	c.writePrefix(s[:at])
	return true
}

// writePrefix appends the text before a ULID.
func (c *codec) writePrefix(s string) {
	if !c.writeWord(s) {
		c.writeLiteral(s)
	}
}

// refer makes the first ULID of a value its reference.
func (c *codec) refer(id ulid.ULID) {
	if !c.reference.known {
		c.reference.set(id)
	}
}

func (c *codec) readText() string { return c.readTextForm(c.readByte()) }

// readTextForm reads a text after its first byte.
func (c *codec) readTextForm(form byte) string {
	switch {
	case form >= textWord:
		if number := int(form - textWord); number < len(words) {
			return words[number]
		}
	case form <= textShortMax:
		return c.strings.get(c.take(uint64(form)))
	case form == textLong:
		return c.strings.get(c.readBytes())
	case form == textULID:
		prefix := c.readPrefix()
		var id ulid.ULID
		copy(id[:], c.take(uint64(len(id))))
		c.refer(id)
		var text [ulidChars]byte
		_ = id.MarshalTextTo(text[:]) // It has the size.
		return c.join(prefix, text)
	case form == textReference && c.reference.known:
		return c.join(c.readPrefix(), c.reference.upper)
	case form == textReferenceLower && c.reference.known:
		return c.join(c.readPrefix(), c.reference.lower)
	}
	c.fail(fmt.Errorf("%w: a text of form %d", errMalformed, form))
	return ""
}

// readPrefix reads the text before a ULID, which has no ULID itself.
func (c *codec) readPrefix() string {
	form := c.readByte()
	if form > textShortMax && form < textWord {
		c.fail(fmt.Errorf("%w: a prefix of form %d", errMalformed, form))
		return ""
	}
	return c.readTextForm(form)
}

func (c *codec) join(prefix string, tail [ulidChars]byte) string {
	if c.err != nil {
		return ""
	}
	var buffer [cachedBytesMax]byte
	return c.strings.get(append(append(buffer[:0], prefix...), tail[:]...))
}
