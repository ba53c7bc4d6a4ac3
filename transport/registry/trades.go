package registry

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"venuegate/transport/api"
	"venuegate/venues"
)

// TradeReader derives closed trades from the fills of a customer.
type TradeReader interface {
	// Trades calls do with the selected trades, until it returns an error. Those that were
	// opened last come first.
	Trades(ctx context.Context, q TradeQuery, do func(Trade) error) error
}

// TradeQuery selects trades of a customer by the time when they were closed. Zero members do
// not filter; From is inclusive, To exclusive.
type TradeQuery struct {
	Customer string
	Exchange venues.Venue
	Symbol   string
	From, To time.Time
}

// Trade is a closed position, from its first execution until it was flat. Decimals are exact
// texts; one that is not known is null.
type Trade struct {
	Exchange venues.Venue        `json:"exchange"`
	Symbol   string              `json:"symbol"`
	Side     venues.PositionSide `json:"side"`
	// Qty is what was opened in all, in base coin.
	Qty        string  `json:"qty"`
	EntryPrice *string `json:"entryPrice"`
	ExitPrice  *string `json:"exitPrice"`
	// RealizedPnl is without the fee.
	RealizedPnl *string            `json:"realizedPnl"`
	Fee         *string            `json:"fee"`
	FeeCurrency *string            `json:"feeCurrency"`
	Reason      venues.CloseReason `json:"reason"`
	OpenedAt    venues.Time        `json:"openedAt"`
	ClosedAt    venues.Time        `json:"closedAt"`
	// HeldSeconds is the time from OpenedAt to ClosedAt.
	HeldSeconds *string `json:"heldSeconds"`
	Comment     string  `json:"comment"`
}

// Trades reads the closed trades of a customer.
type Trades struct {
	scope
	reader      TradeReader
	instruments instruments
}

// Export returns the function that writes the selected trades as JSON lines, those that were
// opened last first.
func (t *Trades) Export(ctx context.Context, q TradeQuery) (write func(io.Writer) error, err error) {
	if q, err = t.complete(ctx, q); err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		err := t.reader.Trades(ctx, q, func(trade Trade) error {
			line, err := json.Marshal(trade)
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("export the trades of %s: %w", q.Customer, err)
		}
		return nil
	}, nil
}

// complete returns a query with its customer and the canonical symbol. It returns an error unless
// the customer exists.
func (t *Trades) complete(ctx context.Context, q TradeQuery) (TradeQuery, error) {
	var err error
	if q.Customer, err = t.resolve(q.Customer); err != nil {
		return q, err
	}
	if q.Customer == "" {
		return q, api.FieldError("customer", api.RuleMissing, "", "the id of a customer")
	}
	if err := t.check(ctx, q.Customer); err != nil {
		return q, err
	}
	if symbol, known := t.instruments.symbol(q.Exchange, q.Symbol); known {
		q.Symbol = symbol
	} else {
		q.Symbol = venues.NormalizeSymbol(q.Symbol)
	}
	return q, nil
}
