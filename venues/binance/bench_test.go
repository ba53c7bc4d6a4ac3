package binance

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/restclient"
)

// benchMessages returns the depth messages of the long recording; the benchmark is
// skipped if it is absent.
func benchMessages(b *testing.B) (messages [][]byte, sizeBytes int64) {
	b.Helper()
	messages, _ = recordedDepth(b)
	for _, m := range messages {
		sizeBytes += int64(len(m))
	}
	return messages, sizeBytes / int64(len(messages))
}

// probe is the minimum that a decoder must do: visit every byte once and convert every
// run of digits to a number. It checks nothing.
func probe(message []byte) (levels int, sum int64) {
	n := int64(0)
	for _, c := range message {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
		case c == '.':
		case c == ']':
			levels++
			fallthrough
		default:
			sum += n
			n = 0
		}
	}
	return levels, sum
}

// BenchmarkDepth compares ways to decode a depth message. Divide by the probe for a
// figure that is independent of the machine.
func BenchmarkDepth(b *testing.B) {
	messages, size := benchMessages(b)
	run := func(name string, read func(message []byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				read(messages[n%len(messages)])
				n++
			}
		})
	}
	var kept int64
	run("probe", func(m []byte) { _, sum := probe(m); kept += sum })
	var decoder bookDecoder
	now := time.Now()
	run("decode", func(m []byte) {
		u, err := decoder.decode(m, "BTCUSDT", "BTCUSDT", btc, now)
		if err != nil {
			b.Fatal(err)
		}
		u.Release()
	})
	var parser fastjson.Parser
	run("fallback", func(m []byte) {
		u := venues.NewBookUpdate()
		if err := decodeBook(&parser, m, "BTCUSDT", btc, u); err != nil {
			b.Fatal(err)
		}
		u.Release()
	})
	run("encoding_json", func(m []byte) {
		var u struct {
			Symbol                string `json:"s"`
			First, Last, Previous uint64
			Bids                  [][2]string `json:"b"`
			Asks                  [][2]string `json:"a"`
		}
		if err := json.Unmarshal(m, &u); err != nil {
			b.Fatal(err)
		}
	})
	_ = kept
}

// BenchmarkFeed measures a book message from the connection to the sink.
func BenchmarkFeed(b *testing.B) {
	s := replayTo(&connectortest.ReleasingRecorder{}, btc, bookOf("BTCUSDT"))
	message := []byte(`{"stream":"btcusdt@depth@100ms","data":` + depthMessage + `}`)
	b.ReportAllocs()
	for b.Loop() {
		s.Message(message)
	}
}

func BenchmarkAggTrade(b *testing.B) {
	var parser fastjson.Parser
	message := []byte(tradeMessage)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := decodeAggTrade(&parser, message, "CTKUSDT", "CTKUSDT"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	text := restclient.Params{{"symbol", "BTCUSDT"}, {"side", "BUY"}, {"timestamp", "1591702613943"}}.Encode()
	b.ReportAllocs()
	for b.Loop() {
		sign(scriptSecret, text, "")
	}
}
