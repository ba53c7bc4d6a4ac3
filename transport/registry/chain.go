package registry

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"venuegate/persistence"
)

// settingChainHead is the name of the setting that stores the end of the chain.
const settingChainHead = "admin.journal.head"

// chainHead is the end of the chain: sequence number and hash of the newest row.
// The zero head is that of an empty journal.
type chainHead struct {
	seq  uint64
	hash []byte
}

// follow returns the next row with its place in the chain, and the head after it.
func (h chainHead) follow(row persistence.JournalEntry) (persistence.JournalEntry, chainHead) {
	row.Seq, row.PrevHash = h.seq+1, h.hash
	row.Hash = chainHash(h.hash, rowDigest(row))
	return row, chainHead{row.Seq, row.Hash}
}

func (h chainHead) setting() persistence.Setting {
	value := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(h.hash)), h.seq)
	return persistence.Setting{Name: settingChainHead, Value: append(value, h.hash...)}
}

func chainHeadOf(s persistence.Setting) (chainHead, error) {
	if len(s.Value) != 8+sha256.Size {
		return chainHead{}, fmt.Errorf("%w: setting %s has %d bytes", persistence.ErrIntegrity, s.Name, len(s.Value))
	}
	return chainHead{binary.BigEndian.Uint64(s.Value), s.Value[8:]}, nil
}

func chainHash(previous []byte, digest [sha256.Size]byte) []byte {
	sum := sha256.Sum256(append(slices.Clone(previous), digest[:]...))
	return sum[:]
}

// rowDigest returns the hash of a row without the rows before it.
func rowDigest(j persistence.JournalEntry) [sha256.Size]byte {
	var canonical []byte
	add := func(parts ...string) {
		for _, part := range parts {
			// Invalid UTF-8 is replaced, as a store does.
			part = string([]rune(part))
			canonical = binary.AppendUvarint(canonical, uint64(len(part)))
			canonical = append(canonical, part...)
		}
	}
	add(j.ID, strconv.FormatUint(j.Seq, 10), strconv.FormatInt(j.At.UnixMilli(), 10), j.Kind, j.Subject, j.Channel, j.Symbol, j.Result)
	for _, f := range j.Fields {
		add(f.Name, f.Value)
	}
	return sha256.Sum256(canonical)
}

// ChainBreak is the error of a journal that was altered. Seq and ID are those of
// the first row that does not match; an empty ID means that rows are missing at
// the end.
type ChainBreak struct {
	Seq    uint64
	ID     string
	Reason string
}

func (b *ChainBreak) Error() string {
	return fmt.Sprintf("the journal's chain breaks at row %d %s: %s", b.Seq, b.ID, b.Reason)
}

// link is the part of a row that the check of the chain needs.
type link struct {
	seq      uint64
	id       string
	digest   [sha256.Size]byte
	previous []byte
	hash     []byte
}

// walk follows the links, which must be in order, up to the first break. It
// returns the head that it reached.
func walk(links []link) (chainHead, *ChainBreak) {
	var head chainHead
	chained := false
	for _, l := range links {
		broken := func(reason string) (chainHead, *ChainBreak) { return head, &ChainBreak{l.seq, l.id, reason} }
		if l.seq <= head.seq {
			return broken("another row has the same sequence number")
		}
		hash := chainHash(head.hash, l.digest)
		switch {
		case len(l.hash) == 0 && !chained:
			// A row from before there was a chain; the first chained row binds it.
		case !bytes.Equal(l.previous, head.hash):
			return broken("it does not follow the row before it")
		case !bytes.Equal(l.hash, hash):
			return broken("it is not the row that was written")
		default:
			chained = true
		}
		head = chainHead{l.seq, hash}
	}
	return head, nil
}

// verify checks the chain of the installation's journal and returns the number of
// its rows. The error is a *ChainBreak if the journal was altered. It reads the
// whole journal and holds about 200 bytes of each row; only changes by
// administrators write rows.
func (l *auditLog) verify(ctx context.Context) (rows int, err error) {
	l.Lock()
	defer l.Unlock()
	links, err := l.readLinks(ctx)
	if err != nil {
		return 0, err
	}
	reached, broken := walk(links)
	if broken != nil {
		return len(links), broken
	}
	setting, err := l.store.Setting(ctx, settingChainHead)
	if errors.Is(err, persistence.ErrNotFound) {
		return len(links), checkUnchained(links)
	}
	if err != nil {
		return 0, fmt.Errorf("read the end of the journal's chain: %w", err)
	}
	head, err := chainHeadOf(setting)
	switch {
	case err != nil:
		return 0, err
	case head.seq > reached.seq:
		return len(links), &ChainBreak{Seq: reached.seq + 1, Reason: fmt.Sprintf("rows up to %d are missing", head.seq)}
	case !bytes.Equal(head.hash, reached.hash):
		newest := links[len(links)-1]
		return len(links), &ChainBreak{newest.seq, newest.id, "it is behind the end of the chain, or not the row that was written"}
	}
	return len(links), nil
}

// checkUnchained returns a *ChainBreak unless all rows are from before there was a
// chain, whose end is then not stored.
func checkUnchained(links []link) error {
	for _, l := range links {
		if len(l.hash) > 0 {
			return &ChainBreak{l.seq, l.id, "the end of the chain is missing"}
		}
	}
	return nil
}

// readLinks reads the installation's journal in order of its sequence.
func (l *auditLog) readLinks(ctx context.Context) ([]link, error) {
	var links []link
	q := persistence.JournalQuery{}
	for {
		page, err := l.store.Journal(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("read the installation's journal: %w", err)
		}
		for _, row := range page.Items {
			links = append(links, link{row.Seq, row.ID, rowDigest(row), row.PrevHash, row.Hash})
		}
		if page.Next == nil {
			break
		}
		q.After = page.Next
	}
	slices.SortFunc(links, func(a, b link) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.id, b.id)) })
	return links, nil
}
