package admin

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

// settingChainHead names the setting that keeps the end of the chain.
const settingChainHead = "admin.journal.head"

// chainHead is the end of the chain: the newest row's sequence and hash. The
// zero head is before the first row.
type chainHead struct {
	seq  uint64
	hash []byte
}

// follow gives the row that comes next its place in the chain.
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

// rowDigest is the hash of a row by itself.
func rowDigest(j persistence.JournalEntry) [sha256.Size]byte {
	var canonical []byte
	add := func(parts ...string) {
		for _, part := range parts {
			// What is not UTF-8 is digested as a store gives it back.
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

// ChainBreak is the first place at which the journal is not as it was written.
// Seq and ID are those of the row there; an empty ID stands for rows that are
// missing at the end.
type ChainBreak struct {
	Seq    uint64
	ID     string
	Reason string
}

func (b *ChainBreak) Error() string {
	return fmt.Sprintf("the journal's chain breaks at row %d %s: %s", b.Seq, b.ID, b.Reason)
}

// link is what of a row takes part in the chain.
type link struct {
	seq      uint64
	id       string
	digest   [sha256.Size]byte
	previous []byte
	hash     []byte
}

// walk follows the links, which are in order, and gives the head that they lead
// to, up to the first break.
func walk(links []link) (chainHead, *ChainBreak) {
	var head chainHead
	chained := false
	for _, l := range links {
		fails := func(reason string) (chainHead, *ChainBreak) { return head, &ChainBreak{l.seq, l.id, reason} }
		if l.seq <= head.seq {
			return fails("its sequence is that of another row")
		}
		hash := chainHash(head.hash, l.digest)
		switch {
		case len(l.hash) == 0 && !chained:
			// A row of before the chain; the first chained row binds it.
		case !bytes.Equal(l.previous, head.hash):
			return fails("it does not follow the row before it")
		case !bytes.Equal(l.hash, hash):
			return fails("it is not the row that was written")
		default:
			chained = true
		}
		head = chainHead{l.seq, hash}
	}
	return head, nil
}

// Verify walks the chain of the installation's journal and says how many rows it
// has. An error is a *ChainBreak if the journal was altered. It reads the whole
// journal and keeps about 200 bytes of each row meanwhile; rows come only of what
// administrators do.
func (r *Registry) Verify(ctx context.Context) (rows int, err error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	links, err := r.readLinks(ctx)
	if err != nil {
		return 0, err
	}
	reached, broken := walk(links)
	if broken != nil {
		return len(links), broken
	}
	setting, err := r.Store.Setting(ctx, settingChainHead)
	if errors.Is(err, persistence.ErrNotFound) {
		return len(links), unheaded(links)
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

// unheaded judges a journal whose end is not kept: it may have rows of before the
// chain alone.
func unheaded(links []link) error {
	for _, l := range links {
		if len(l.hash) > 0 {
			return &ChainBreak{l.seq, l.id, "the end of the chain is missing"}
		}
	}
	return nil
}

// readLinks reads the installation's journal, in order.
func (r *Registry) readLinks(ctx context.Context) ([]link, error) {
	var links []link
	q := persistence.JournalQuery{}
	for {
		page, err := r.Store.Journal(ctx, q)
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

// readHead gives the end of the chain, which the first row after a start, or
// after a commit of unknown outcome, must read. A journal without a chain gets
// one that begins with what is there. The caller has the turn.
func (r *Registry) readHead(ctx context.Context) (chainHead, error) {
	if r.head != nil {
		return *r.head, nil
	}
	setting, err := r.Store.Setting(ctx, settingChainHead)
	if err == nil {
		return chainHeadOf(setting)
	}
	if !errors.Is(err, persistence.ErrNotFound) {
		return chainHead{}, fmt.Errorf("read the end of the journal's chain: %w", err)
	}
	links, err := r.readLinks(ctx)
	if err != nil {
		return chainHead{}, err
	}
	head, _ := walk(links)
	last, err := r.Store.LastSequence(ctx, "")
	if err != nil {
		return chainHead{}, fmt.Errorf("read the journal's sequence: %w", err)
	}
	head.seq = max(head.seq, last)
	return head, nil
}
