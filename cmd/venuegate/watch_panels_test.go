package main

import (
	"strings"
	"testing"

	venuegate "venuegate/transport/clients/go"
)

// play applies messages to the panel of a topic and returns its lines.
func play(t *testing.T, topic string, height int, messages ...venuegate.Message) string {
	t.Helper()
	p := newPanel(topic)
	for _, m := range messages {
		m.Topic = topic
		if err := p.apply(m); err != nil {
			t.Fatal(err)
		}
	}
	var text []string
	for _, line := range p.lines(height) {
		text = append(text, strings.TrimRight(line.text, " ▪"))
	}
	return strings.Join(text, "\n")
}

func message(kind venuegate.MessageType, data string) venuegate.Message {
	return venuegate.Message{Type: kind, Data: []byte(data)}
}

func TestPanels(t *testing.T) {
	const book = "book:okx:BTCUSDT:5"
	snapshot := message(venuegate.TypeSnapshot, `{"bids":[["99","1"],["98","2"],["97","3"]],"asks":[["101","4"],["102.5","5"],["103","6"]]}`)
	three := uint64(3)
	position := `{"exchange":"okx","symbol":"BTCUSDT","side":"long","qty":"%","entryPrice":"1","markPrice":null,"unrealizedPnl":"2","stopLoss":null,"takeProfit":null}`
	for name, c := range map[string]struct {
		topic    string
		height   int
		messages []venuegate.Message
		want     string
	}{
		"ladder, best levels in the middle": {
			book, 5,
			[]venuegate.Message{snapshot, message(venuegate.TypeDelta, `{"bids":[["99","0"]],"asks":[["101","7"]]}`)},
			"102.5               5\n  101               7\n       spread 3\n   98               2\n   97               3",
		},
		"stale ladder": {book, 5, []venuegate.Message{snapshot, message(venuegate.TypeStale, "")}, "not current; waiting for a snapshot"},
		"tape, newest first": {
			"trades:okx:BTCUSDT", 2,
			[]venuegate.Message{
				message(venuegate.TypeUpdate, `{"id":"1","price":"5","qty":"1","side":"buy","ts":"2026-11-20T09:19:00.123Z"}`),
				message(venuegate.TypeUpdate, `{"id":"2","price":"6","qty":"2","side":"sell","ts":"2026-11-20T09:19:01.123Z"}`),
				{Type: venuegate.TypeGap, Missed: &three},
			},
			"3 trades are missing\n09:19:01.123  sell               6               2",
		},
		"open position": {
			"positions", 5,
			[]venuegate.Message{message(venuegate.TypeSnapshot, "["+strings.Replace(position, "%", "0.5", 1)+"]")},
			"exchange  symbol   side  qty  entryPrice  markPrice  unrealizedPnl  stopLoss  takeProfit\nokx       BTCUSDT  long  0.5  1           -          2              -         -",
		},
		"closed position": {
			"positions", 5,
			[]venuegate.Message{
				message(venuegate.TypeSnapshot, "["+strings.Replace(position, "%", "0.5", 1)+"]"),
				message(venuegate.TypeUpdate, strings.Replace(position, "%", "0", 1)),
			},
			"none",
		},
	} {
		if got := play(t, c.topic, c.height, c.messages...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
