package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// recordingLineMax bounds a line of a recording.
const recordingLineMax = 16 << 20

// recorded fills a feed from a recording, or sets missing if there is none.
func (f *bookFeed) recorded(read func(f *bookFeed) error) (*bookFeed, error) {
	err := read(f)
	if errors.Is(err, fs.ErrNotExist) {
		f.missing = "no recording: VENUEGATE_FIXTURES names the folder of recordings"
		return f, nil
	}
	if err == nil && (f.snapshot == nil || len(f.updates) == 0) {
		err = errors.New("the recording has no book")
	}
	return f, err
}

// add appends a message of the book.
func (f *bookFeed) add(message []byte, snapshot bool) {
	switch {
	case snapshot:
		f.snapshot = message
	case f.snapshot != nil:
		f.updates = append(f.updates, message)
	}
}

// recordedBinance reads the updates that continue the recorded REST snapshot. The
// snapshot's sequence number is within the first update; quantities are absolute, so
// that the snapshot is valid as the book before it.
func recordedBinance(f *bookFeed) error {
	var snapshot struct {
		Last int64           `json:"lastUpdateId"`
		Bids json.RawMessage `json:"bids"`
		Asks json.RawMessage `json:"asks"`
	}
	var messages []json.RawMessage
	err := recordedLines("binance/ws_btcusdt_depth0ms_trade_bookTicker_2024.real.gz", func(line []byte) error {
		_, message, _ := bytes.Cut(line, []byte(" ")) // the recorder's own time
		var combined struct {
			Stream string          `json:"stream"`
			Data   json.RawMessage `json:"data"`
		}
		switch err := json.Unmarshal(message, &combined); {
		case err != nil:
			return err
		case combined.Stream == "":
			return json.Unmarshal(message, &snapshot)
		case strings.Contains(combined.Stream, "@depth"):
			messages = append(messages, combined.Data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, message := range messages {
		var numbers struct {
			Last     int64 `json:"u"`
			Previous int64 `json:"pu"`
		}
		if err := json.Unmarshal(message, &numbers); err != nil {
			return err
		}
		if f.snapshot == nil && numbers.Last >= snapshot.Last {
			f.add(fmt.Appendf(nil, `{"e":"depthUpdate","E":1,"T":1,"s":"BTCUSDT","U":%d,"u":%[1]d,"pu":%[1]d,"b":%s,"a":%s}`,
				numbers.Previous, snapshot.Bids, snapshot.Asks), true)
		}
		f.add(message, false)
	}
	return nil
}

func recordedBybit(f *bookFeed) error {
	return recordedLines("bybit/ws_public_linear_BTC_DOGE_20260809.real.jsonl.gz", func(line []byte) error {
		var row struct {
			Type string `json:"t"`
			Data string `json:"data"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return err
		}
		if row.Type == "recv" && strings.HasPrefix(row.Data, `{"topic":"orderbook.200.BTCUSDT"`) {
			f.add([]byte(row.Data), strings.Contains(row.Data, `"type":"snapshot"`))
		}
		return nil
	})
}

// recordedOKX reads a recording that is older than the venue's sequence numbers, checks
// it by its checksums, and adds the numbers.
func recordedOKX(f *bookFeed) error {
	seq, previous := 1, -1
	return recordedLines("okx/ws_public_recording_2022_books_trades_tickers.jsonl", func(line []byte) error {
		var row struct {
			Message json.RawMessage `json:"msg"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return err
		}
		begin, whole := bytes.CutSuffix(row.Message, []byte("}]}"))
		if !whole || !bytes.HasPrefix(begin, []byte(`{"arg":{"channel":"books","instId":"BTC-USDT"}`)) {
			return nil
		}
		f.add(fmt.Appendf(nil, `%s,"seqId":%d,"prevSeqId":%d}]}`, begin, seq, previous), previous < 0)
		seq, previous = seq+1, seq
		return nil
	})
}

// recordedLines calls take for every line of a recording.
func recordedLines(name string, take func(line []byte) error) error {
	folder := os.Getenv("VENUEGATE_FIXTURES")
	if folder == "" {
		folder = filepath.Join(moduleRoot(), "..", "shared", "fixtures")
	}
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	input := io.Reader(file)
	if strings.HasSuffix(name, ".gz") {
		if input, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, recordingLineMax)
	for lines.Scan() {
		if err := take(lines.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return lines.Err()
}

// moduleRoot returns the nearest parent directory with a go.mod, or the current one.
func moduleRoot() string {
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if above, err := filepath.Abs(dir); err != nil || above == filepath.Dir(above) {
			return "."
		}
	}
}
