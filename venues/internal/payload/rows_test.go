package payload_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func TestBookSnapshot(t *testing.T) {
	level := func(price, qty string) (venues.Level, error) {
		return payload.Level(price, qty, venues.Scale{PriceDecimals: 1})
	}
	good := [][]string{{"1.5", "2", "0", "7"}, {"1.4", "3"}}
	at := time.UnixMilli(1)
	u, err := payload.Book{Symbol: "BTCUSDT", Seq: 7, Time: at, Bids: good, Asks: [][]string{}}.Snapshot(at.Add(time.Second), level)
	if err != nil {
		t.Fatal(err)
	}
	if want := []venues.Level{{Price: 15, Qty: 2}, {Price: 14, Qty: 3}}; !reflect.DeepEqual(u.Bids, want) || len(u.Asks) != 0 {
		t.Errorf("bids %v, asks %v, want bids %v and no asks", u.Bids, u.Asks, want)
	}
	if !u.Snapshot || u.Symbol != "BTCUSDT" || u.FirstSeq != 7 || u.LastSeq != 7 || !u.VenueTime.Equal(at) || !u.Received.After(at) {
		t.Errorf("update %+v, want a snapshot of BTCUSDT with number 7 of %v", u, at)
	}
	for name, bad := range map[string][][]string{
		"absent": nil, "no quantity": {{"1"}}, "empty": {{}}, "price": {{"x", "1"}}, "price zero": {{"0", "1"}}, "quantity": {{"1", "1.5"}},
	} {
		for _, book := range []payload.Book{{Bids: bad, Asks: good}, {Bids: good, Asks: bad}} {
			if u, err := book.Snapshot(at, level); err == nil {
				t.Errorf("%s: bids %v, asks %v, want an error", name, u.Bids, u.Asks)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	row := func(text string) (cells []json.RawMessage) {
		if err := json.Unmarshal([]byte(text), &cells); err != nil {
			t.Fatal(err)
		}
		return cells
	}
	var at int64
	var price payload.Number
	if err := payload.Columns(row(`[7,"1.5","more"]`), &at, &price); err != nil || at != 7 || price.Decimal.String() != "1.5" {
		t.Errorf("columns = %d, %v, error %v, want 7 and 1.5", at, price, err)
	}
	for text, want := range map[string]error{`[7]`: payload.ErrMissing, `[]`: payload.ErrMissing, `[7,""]`: payload.ErrMissing, `[7,"x"]`: nil, `["7","1"]`: nil} {
		if err := payload.Columns(row(text), &at, &price); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("Columns(%s): error %v, want payload.ErrMissing or a decoding error", text, err)
		}
	}
}
