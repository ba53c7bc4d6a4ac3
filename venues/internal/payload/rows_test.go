package payload_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func TestSidesOfABook(t *testing.T) {
	level := func(price, qty string) (venues.Level, error) {
		return payload.Level(price, qty, venues.Scale{PriceDecimals: 1})
	}
	good := [][]string{{"1.5", "2", "0", "7"}, {"1.4", "3"}}
	u := &venues.BookUpdate{}
	if err := payload.Sides(u, good, [][]string{}, level); err != nil {
		t.Fatal(err)
	}
	if want := []venues.Level{{Price: 15, Qty: 2}, {Price: 14, Qty: 3}}; !reflect.DeepEqual(u.Bids, want) || len(u.Asks) != 0 {
		t.Errorf("bids %v, asks %v, want one level each", u.Bids, u.Asks)
	}
	for name, bad := range map[string][][]string{
		"absent": nil, "no quantity": {{"1"}}, "empty": {{}}, "price": {{"x", "1"}}, "price zero": {{"0", "1"}}, "quantity": {{"1", "1.5"}},
	} {
		if payload.Sides(new(venues.BookUpdate), bad, good, level) == nil || payload.Sides(new(venues.BookUpdate), good, bad, level) == nil {
			t.Errorf("%s: no error", name)
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
		t.Errorf("columns = %d, %v, error %v", at, price, err)
	}
	for text, want := range map[string]error{`[7]`: payload.ErrMissing, `[]`: payload.ErrMissing, `[7,""]`: payload.ErrMissing, `[7,"x"]`: nil, `["7","1"]`: nil} {
		if err := payload.Columns(row(text), &at, &price); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("Columns(%s): error %v, want payload.ErrMissing or a decoding error", text, err)
		}
	}
}
