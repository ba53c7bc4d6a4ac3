package stream_test

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/go-json-experiment/json"
)

// bookReader maintains an order book by the documented rules, and compares it with that
// of the owner after every message.
type bookReader struct {
	owner *owner
	book  map[int64]int64
	seq   uint64
	valid bool

	messages  int
	snapshots int
	stales    int
}

func (r *bookReader) take(m message) error {
	r.messages++
	switch m.Type {
	case "stale":
		r.stales++
		r.valid, r.seq = false, m.Seq
		return nil
	case "snapshot":
		r.snapshots++
		r.book, r.valid = map[int64]int64{}, true
	case "delta":
		if !r.valid || m.Seq != r.seq+1 {
			return fmt.Errorf("delta %d after %d (book valid: %v)", m.Seq, r.seq, r.valid)
		}
	default:
		return fmt.Errorf("unexpected message %s", m.text)
	}
	r.seq = m.Seq
	if err := r.apply(m); err != nil {
		return err
	}
	epoch := uint64(r.book[epochLevel])
	if want := r.owner.at(position{epoch, r.seq}); !maps.Equal(r.book, want) {
		return fmt.Errorf("after %s: the book is %v, want %v", m.text, r.book, want)
	}
	return nil
}

func (r *bookReader) apply(m message) error {
	var data struct{ Bids, Asks [][2]string }
	if err := json.Unmarshal(m.Data, &data, json.MatchCaseInsensitiveNames(true)); err != nil {
		return err
	}
	for _, level := range data.Bids {
		price, err := strconv.ParseInt(level[0], 10, 64)
		if err != nil {
			return err
		}
		qty, err := strconv.ParseInt(level[1], 10, 64)
		if err != nil {
			return err
		}
		if qty == 0 {
			delete(r.book, price)
		} else {
			r.book[price] = qty
		}
	}
	return nil
}

// current reports whether the reader has the newest book.
func (r *bookReader) current() bool {
	return r.valid && position{uint64(r.book[epochLevel]), r.seq} == r.owner.position()
}

// tradesReader counts trades by the documented rules: a trade continues the sequence,
// and a gap replaces missed trades.
type tradesReader struct {
	seq    uint64
	trades uint64
	missed uint64
	gaps   int
}

func (r *tradesReader) take(m message) error {
	switch {
	case m.Type == "update" && m.Seq == r.seq+1:
		r.trades++
	case m.Type == "gap" && m.Missed != nil && m.Seq == r.seq+*m.Missed:
		r.gaps++
		r.missed += *m.Missed
	default:
		return fmt.Errorf("%s after %d", m.text, r.seq)
	}
	r.seq = m.Seq
	return nil
}
