package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// historyRowsMax bounds the journal rows, and as many fills, of a signal's history.
	historyRowsMax = 1000
	// historyOrdersMax bounds the orders of a signal's history, legs included.
	historyOrdersMax = 32
	// historyEventsScanMax bounds the events that are read to find those of a signal.
	historyEventsScanMax = 4096
	// closedWithin is the time within which the end of a position follows the execution that
	// has caused it: the venue's list of positions is read in between.
	closedWithin = time.Minute
	// historyChangesMax bounds the changes of the channel since a signal.
	historyChangesMax = 20
)

// SignalHistory is what a signal has caused. Rows and events of a customer have their sequence
// numbers in common.
type SignalHistory struct {
	Signal Signal `json:"signal"`
	// Rows are those of the signal, of its orders and their protection, and of the deliveries of
	// its events, in order.
	Rows   []Row         `json:"rows"`
	Orders []SignalOrder `json:"orders"`
	Fills  []SignalFill  `json:"fills"`
	Events []SignalEvent `json:"events"`
	// Changes are those of the channel since it received the signal, newest first.
	Changes []Row `json:"changes"`
	// Complete is false if there is more than the answer has room for.
	Complete bool `json:"complete"`
}

// SignalOrder is an order that a signal has placed, or a leg of the protection of one.
type SignalOrder struct {
	ID        string             `json:"id"`
	Status    venues.OrderStatus `json:"status"`
	Exchange  venues.Venue       `json:"exchange"`
	Symbol    string             `json:"symbol"`
	Side      venues.Side        `json:"side"`
	Type      venues.OrderType   `json:"type"`
	Qty       string             `json:"qty"`
	Price     string             `json:"price,omitzero"`
	FilledQty string             `json:"filledQty"`
	AvgPrice  string             `json:"avgPrice,omitzero"`
	// EntryOrderID is the order that a leg protects, Protects which leg it is.
	EntryOrderID string               `json:"entryOrderId,omitzero"`
	Protects     venues.LegKind       `json:"protects,omitzero"`
	StopLoss     *SignalLeg           `json:"stopLoss"`
	TakeProfit   *SignalLeg           `json:"takeProfit"`
	Error        *venues.RejectReason `json:"error"`
	CreatedAt    venues.Time          `json:"createdAt"`
	UpdatedAt    venues.Time          `json:"updatedAt"`
}

// SignalLeg is a leg of the protection of an order.
type SignalLeg struct {
	Status venues.ProtectionStatus `json:"status"`
	Price  string                  `json:"price"`
	// OrderID is the order of the leg, if it has one of its own.
	OrderID string `json:"orderId,omitzero"`
}

// SignalFill is an execution of an order of a signal.
type SignalFill struct {
	ID          string      `json:"id"`
	OrderID     string      `json:"orderId"`
	Side        venues.Side `json:"side"`
	Qty         string      `json:"qty"`
	Price       string      `json:"price"`
	Fee         string      `json:"fee,omitzero"`
	FeeCurrency string      `json:"feeCurrency,omitzero"`
	At          venues.Time `json:"at"`
}

// SignalEvent is an event that a signal has caused.
type SignalEvent struct {
	ID   string                `json:"id"`
	Seq  uint64                `json:"seq"`
	Type persistence.EventType `json:"type"`
	At   venues.Time           `json:"at"`
	Data jsontext.Value        `json:"data"`
}

// Get returns a signal with all that it has caused.
func (s *Signals) Get(ctx context.Context, id string) (SignalHistory, error) {
	record, err := s.read(ctx, id)
	if err != nil {
		return SignalHistory{}, err
	}
	h := history{store: s.store, signal: &record, SignalHistory: SignalHistory{
		Signal: signalOf(&record), Rows: []Row{}, Orders: []SignalOrder{}, Fills: []SignalFill{}, Events: []SignalEvent{}, Changes: []Row{}, Complete: true,
	}}
	for _, read := range []func(context.Context) error{h.readSignal, h.readOrders, h.readEvents, h.readChanges} {
		if err := read(ctx); err != nil {
			return SignalHistory{}, fmt.Errorf("read what signal %s has caused: %w", id, err)
		}
	}
	slices.SortFunc(h.Rows, func(a, b Row) int { return cmp.Compare(a.Seq, b.Seq) })
	slices.SortStableFunc(h.Fills, func(a, b SignalFill) int { return a.At.Compare(b.At.Time) })
	return h.SignalHistory, nil
}

// history collects what a signal has caused.
type history struct {
	SignalHistory
	store  SignalStore
	signal *persistence.SignalRecord
	// open reports whether an order may still change.
	open bool
}

func (h *history) readSignal(ctx context.Context) error { return h.readRows(ctx, h.signal.ID) }

// readRows adds the journal rows about a subject.
func (h *history) readRows(ctx context.Context, subject string) error {
	q := persistence.JournalQuery{Customer: h.signal.Customer, Subject: subject}
	for {
		if q.Limit = historyRowsMax - len(h.Rows); q.Limit == 0 {
			h.Complete = false
			return nil
		}
		page, err := h.store.Journal(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Items {
			h.Rows = append(h.Rows, rowOf(&page.Items[i]))
		}
		if q.After = page.Next; q.After == nil {
			return nil
		}
	}
}

// readOrders adds the orders of the signal, the ones that replace them and their legs, with
// their rows and fills. Orders that were moved to the archive are left out.
func (h *history) readOrders(ctx context.Context) error {
	ids := slices.Clone(h.signal.OrderIDs)
	for i := 0; i < len(ids); i++ {
		if i == historyOrdersMax {
			h.Complete = false
			return nil
		}
		if err := h.readRows(ctx, ids[i]); err != nil {
			return err
		}
		order, err := h.store.Order(ctx, h.signal.Customer, ids[i])
		if errors.Is(err, persistence.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		h.open = h.open || order.Unfinished()
		h.Orders = append(h.Orders, signalOrder(&order))
		for _, next := range []string{order.ReplacedBy, legOrder(order.Protection, venues.LegStopLoss), legOrder(order.Protection, venues.LegTakeProfit)} {
			if next != "" && !slices.Contains(ids, next) {
				ids = append(ids, next)
			}
		}
		if err := h.readFills(ctx, ids[i]); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) readFills(ctx context.Context, orderID string) error {
	q := persistence.FillQuery{Customer: h.signal.Customer, OrderID: orderID}
	for {
		if q.Limit = historyRowsMax - len(h.Fills); q.Limit == 0 {
			h.Complete = false
			return nil
		}
		page, err := h.store.Fills(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Items {
			f := &page.Items[i]
			h.Fills = append(h.Fills, SignalFill{
				ID: f.FillID, OrderID: f.OrderID, Side: f.Side, Qty: venues.FormatDecimal(f.Qty), Price: venues.FormatDecimal(f.Price),
				Fee: venues.FormatOptional(f.Fee), FeeCurrency: f.FeeCurrency, At: f.ExecutedAt,
			})
		}
		if q.After = page.Next; q.After == nil {
			return nil
		}
	}
}

// readEvents adds the events of the signal with the rows of their deliveries.
func (h *history) readEvents(ctx context.Context) error {
	if len(h.Rows) == 0 {
		return nil
	}
	first, end := h.Rows[0].Seq, h.Rows[0].At.Time
	for i := range h.Rows {
		first = min(first, h.Rows[i].Seq)
		if h.Rows[i].At.After(end) {
			end = h.Rows[i].At.Time
		}
	}
	end = end.Add(closedWithin)
	// The events of a commit have the numbers before its rows: a notification is the only one of
	// its commit.
	seq, scanned := first-min(first, 2), 0
	for {
		events, err := h.store.EventsSince(ctx, h.signal.Customer, seq, persistence.PageSizeMax)
		if err != nil {
			return err
		}
		for i := range events {
			e := &events[i]
			if e.CreatedAt.After(end) && !h.open {
				return nil
			}
			if !h.causes(e) {
				continue
			}
			h.Events = append(h.Events, SignalEvent{e.ID, e.Seq, e.Type, e.CreatedAt, jsontext.Value(e.Data)})
			if err := h.readRows(ctx, e.ID); err != nil {
				return err
			}
		}
		if scanned += len(events); len(events) < persistence.PageSizeMax {
			return nil
		}
		if scanned >= historyEventsScanMax {
			h.Complete = false
			return nil
		}
		seq = events[len(events)-1].Seq
	}
}

// causes reports whether the signal has caused an event: one about an order of it, the end
// of a position after an execution of such an order against it, or its own notification.
func (h *history) causes(e *persistence.Event) bool {
	var about struct {
		OrderID   string              `json:"orderId"`
		Exchange  venues.Venue        `json:"exchange"`
		Symbol    string              `json:"symbol"`
		Side      venues.PositionSide `json:"side"`
		ChannelID string              `json:"channelId"`
		Comment   string              `json:"comment"`
	}
	if json.Unmarshal(e.Data, &about) != nil {
		return false
	}
	switch e.Type {
	case persistence.EventPositionClosed:
		return about.Exchange == h.signal.Exchange && about.Symbol == h.signal.Symbol &&
			slices.ContainsFunc(h.Fills, func(f SignalFill) bool {
				after := e.CreatedAt.Sub(f.At.Time)
				return f.Side == about.Side.ClosedBy() && after >= 0 && after <= closedWithin
			})
	case persistence.EventNotification:
		return about.ChannelID == h.signal.ChannelID && about.Comment == h.signal.Comment &&
			slices.ContainsFunc(h.Rows, func(r Row) bool { return r.Subject == h.signal.ID && r.At.Equal(e.CreatedAt.Time) })
	default:
		return slices.ContainsFunc(h.Orders, func(o SignalOrder) bool { return o.ID == about.OrderID })
	}
}

func (h *history) readChanges(ctx context.Context) error {
	page, err := h.store.Journal(ctx, persistence.JournalQuery{
		Customer: h.signal.Customer, Subject: h.signal.ChannelID, Kind: kindHook, From: h.signal.ReceivedAt.Add(time.Millisecond), Limit: historyChangesMax,
	})
	for i := range page.Items {
		h.Changes = append(h.Changes, rowOf(&page.Items[i]))
	}
	return err
}

func legOrder(p *venues.Protection, kind venues.LegKind) string {
	if leg := p.Leg(kind); leg != nil {
		return leg.OrderID
	}
	return ""
}

func signalOrder(o *persistence.OrderRecord) SignalOrder {
	return SignalOrder{
		ID: o.OrderID, Status: o.Status, Exchange: o.Exchange, Symbol: o.Symbol, Side: o.Side, Type: o.Type,
		Qty: venues.FormatDecimal(o.Qty), Price: venues.FormatOptional(o.Price), FilledQty: venues.FormatDecimal(o.FilledQty),
		AvgPrice: venues.FormatOptional(o.AvgPrice), EntryOrderID: o.EntryOrderID, Protects: o.Protects,
		StopLoss: signalLeg(o.Protection.Leg(venues.LegStopLoss)), TakeProfit: signalLeg(o.Protection.Leg(venues.LegTakeProfit)),
		Error: o.Error, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
	}
}

func signalLeg(l *venues.ProtectionLeg) *SignalLeg {
	if l == nil {
		return nil
	}
	return &SignalLeg{l.Status, venues.FormatDecimal(l.Price), l.OrderID}
}
