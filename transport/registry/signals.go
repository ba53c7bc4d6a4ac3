package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// signalsScanMax bounds the signals that are read for one page, matching or not.
const signalsScanMax = persistence.ScanRowsMax

// SignalStore reads signals and what they have caused.
type SignalStore interface {
	JournalStore
	Signal(ctx context.Context, customer, id string) (persistence.SignalRecord, error)
	Signals(ctx context.Context, q persistence.SignalQuery) (persistence.Page[persistence.SignalRecord], error)
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error)
	EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error)
}

// Signals reads the signals of channels.
type Signals struct {
	scope
	store   SignalStore
	service HookService
	newID   func(prefix string, at time.Time) string
}

// Signal is a received signal with its processing state. Tokens and signatures are not part of
// it: they are not stored.
type Signal struct {
	ID       string                   `json:"id"`
	Customer string                   `json:"customer"`
	Channel  string                   `json:"channel"`
	Status   persistence.SignalStatus `json:"status"`
	// Test means that the channel was in test mode.
	Test       bool                `json:"test"`
	Action     venues.SignalAction `json:"action"`
	Exchange   venues.Venue        `json:"exchange,omitzero"`
	Symbol     string              `json:"symbol,omitzero"`
	Side       venues.Side         `json:"side,omitzero"`
	Type       venues.OrderType    `json:"type,omitzero"`
	Qty        string              `json:"qty,omitzero"`
	Price      string              `json:"price,omitzero"`
	StopLoss   string              `json:"stopLoss,omitzero"`
	TakeProfit string              `json:"takeProfit,omitzero"`
	Comment    string              `json:"comment,omitzero"`
	RequestID  string              `json:"requestId"`
	// Implied means that the sender gave no requestId.
	Implied bool `json:"implied"`
	// Ignored are the members of the body that are not known.
	Ignored    []string          `json:"ignored"`
	Source     venues.Source     `json:"source"`
	VerifiedBy venues.SignalAuth `json:"verifiedBy,omitzero"`
	// SentAt is the time that the signal states.
	SentAt     venues.Time          `json:"sentAt"`
	ReceivedAt venues.Time          `json:"receivedAt"`
	ExpiresAt  venues.Time          `json:"expiresAt"`
	UpdatedAt  venues.Time          `json:"updatedAt"`
	OrderIDs   []string             `json:"orderIds"`
	Error      *venues.RejectReason `json:"error"`
}

// SignalFilter selects signals of a customer, newest first. Zero members do not filter; From
// is inclusive, To exclusive.
type SignalFilter struct {
	Customer, Channel, Symbol string

	Status persistence.SignalStatus
	// Reason is the code of a rejection, or the rule or reason behind it.
	Reason string
	// Text is a part of the id, of the requestId or of the comment.
	Text     string
	From, To time.Time
	Limit    int
	Cursor   string
}

func (f *SignalFilter) matches(s *persistence.SignalRecord) bool {
	return (f.Status == "" || f.Status == s.Status) && (f.Symbol == "" || strings.EqualFold(f.Symbol, s.Symbol)) &&
		(f.Reason == "" || s.Error != nil && (f.Reason == string(s.Error.Code) || f.Reason == s.Error.Reason)) &&
		(f.Text == "" || containsFold(f.Text, s.ID, s.RequestID, s.Comment))
}

func containsFold(part string, texts ...string) bool {
	part = strings.ToLower(part)
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), part) {
			return true
		}
	}
	return false
}

// List returns a page of signals.
func (s *Signals) List(ctx context.Context, f SignalFilter) (Page[Signal], error) {
	customer, err := s.resolve(f.Customer)
	if err == nil {
		err = s.check(ctx, customer)
	}
	if err != nil {
		return Page[Signal]{}, err
	}
	limit, after, err := pageBounds(f.Limit, f.Cursor)
	if err != nil {
		return Page[Signal]{}, err
	}
	q := persistence.SignalQuery{Customer: customer, Channel: f.Channel, From: f.From, To: f.To, After: after, Limit: persistence.PageSizeMax}
	if f.Status == "" && f.Symbol == "" && f.Reason == "" && f.Text == "" {
		q.Limit = limit
	}
	found, end, err := s.scan(ctx, q, limit, f.matches)
	if err != nil {
		return Page[Signal]{}, fmt.Errorf("list signals of %s: %w", customer, err)
	}
	page := Page[Signal]{Items: found}
	if end != nil {
		next, err := formatCursor(end)
		page.NextCursor = &next
		return page, err
	}
	return page, nil
}

// scan returns at most limit signals that match, and where the next page begins, if there may be
// one.
func (s *Signals) scan(ctx context.Context, q persistence.SignalQuery, limit int, matches func(*persistence.SignalRecord) bool) ([]Signal, *persistence.PagePosition, error) {
	found := []Signal{}
	for scanned := 0; ; {
		read, err := s.store.Signals(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		for i := range read.Items {
			record := &read.Items[i]
			if !matches(record) {
				continue
			}
			if found = append(found, signalOf(record)); len(found) == limit && (i+1 < len(read.Items) || read.Next != nil) {
				return found, &persistence.PagePosition{At: record.ReceivedAt, ID: record.ID}, nil
			}
		}
		q.After, scanned = read.Next, scanned+len(read.Items)
		if q.After == nil || scanned >= signalsScanMax {
			return found, q.After, nil
		}
	}
}

// Test returns what the channel would do if it received the signal now. Nothing is sent or
// stored.
func (s *Signals) Test(ctx context.Context, id string) (SignalTest, error) {
	record, err := s.read(ctx, id)
	if err != nil {
		return SignalTest{}, err
	}
	signal, now := record.Signal, time.Now()
	if !signal.SentAt.IsZero() {
		signal.SentAt = venues.At(now.Add(signal.SentAt.Sub(signal.ReceivedAt.Time)))
	}
	signal.ReceivedAt, signal.Origin = venues.At(now), venues.OriginOf(ctx)
	signal.Implied, signal.RequestID = true, s.newID("tested", now) // its own was used
	p, err := s.service.Preview(ctx, signal)
	if err != nil {
		return SignalTest{}, err
	}
	return signalTest(&p), nil
}

// read returns a signal by its id.
func (s *Signals) read(ctx context.Context, id string) (found persistence.SignalRecord, err error) {
	err = s.each(ctx, "", func(customer string) error {
		record, err := s.store.Signal(ctx, customer, id)
		if errors.Is(err, persistence.ErrNotFound) {
			return nil
		}
		if err == nil {
			found, err = record, errFound
		}
		return err
	})
	switch {
	case errors.Is(err, errFound):
		return found, nil
	case err == nil:
		err = notFound(persistence.ErrNotFound)
	}
	return found, fmt.Errorf("read signal %s: %w", id, err)
}

func signalOf(r *persistence.SignalRecord) Signal {
	s := Signal{
		ID: r.ID, Customer: r.Customer, Channel: r.ChannelID, Status: r.Status, Test: r.Test,
		Action: r.Action, Exchange: r.Exchange, Symbol: r.Symbol, Side: r.Side, Type: r.Type,
		Qty: venues.FormatOptional(r.Qty), Price: venues.FormatOptional(r.Price),
		StopLoss: venues.FormatOptional(r.StopLoss), TakeProfit: venues.FormatOptional(r.TakeProfit), Comment: r.Comment,
		RequestID: r.RequestID, Implied: r.Implied, Ignored: r.Ignored, Source: r.Source, VerifiedBy: r.Auth,
		SentAt: r.SentAt, ReceivedAt: r.ReceivedAt, ExpiresAt: r.ExpiresAt, UpdatedAt: r.UpdatedAt,
		OrderIDs: r.OrderIDs, Error: r.Error,
	}
	if s.Ignored == nil {
		s.Ignored = []string{}
	}
	if s.OrderIDs == nil {
		s.OrderIDs = []string{}
	}
	return s
}
