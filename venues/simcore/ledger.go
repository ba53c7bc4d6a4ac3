package simcore

import "sync"

// LedgerOrder is the venue's own record of one order, with which tests compare what a
// client has recorded.
type LedgerOrder struct {
	// Venue distinguishes the rows of several venues in one ledger.
	Venue string `json:"venue,omitempty"`
	// VenueOrderID is empty for a rejected order.
	VenueOrderID  string `json:"venueOrderId"`
	ClientOrderID string `json:"clientOrderId"`
	Account       string `json:"account"`
	// Symbol is in the venue's spelling.
	Symbol string `json:"symbol"`
	Side   string `json:"side"`
	// Type is limit, market, stop_limit, stop_market, trailing_stop.
	Type string `json:"type"`
	// Kind is order, or conditional for an order with a trigger.
	Kind string `json:"kind"`
	// ParentID is the id of the conditional order that placed this one. Both have the
	// same client order id.
	ParentID string `json:"parentId,omitempty"`
	// Qty and FilledQty are in the venue's units, BaseQty in base coin.
	Qty       string `json:"qty"`
	BaseQty   string `json:"baseQty"`
	FilledQty string `json:"filledQty"`
	Price     string `json:"price"`
	// Status is new, partially_filled, filled, cancelled, expired, refused; for
	// conditionals waiting, triggering, triggered, finished, cancelled,
	// rejected, expired.
	Status     string       `json:"status"`
	AcceptedAt string       `json:"acceptedAt"`
	UpdatedAt  string       `json:"updatedAt"`
	Rejection  string       `json:"refusal,omitempty"`
	Fills      []LedgerFill `json:"fills,omitempty"`
}

// LedgerFill is one execution of a ledger order.
type LedgerFill struct {
	TradeID string `json:"tradeId"`
	Price   string `json:"price"`
	Qty     string `json:"qty"`
	Fee     string `json:"fee"`
	Maker   bool   `json:"maker"`
	Time    string `json:"time"`
}

// ledgerOrdersMax bounds the rows in memory; the oldest are removed first. The file
// keeps all of them.
const ledgerOrdersMax = 1_000_000

// Ledger records every order that its venues accepted or rejected. Several exchanges
// may share one. It is safe for concurrent use.
type Ledger struct {
	mu     sync.Mutex
	orders []*LedgerOrder
	byID   map[ledgerKey]*LedgerOrder
	file   *ledgerFile
}

type ledgerKey struct{ venue, kind, id string }

func (row *LedgerOrder) key() ledgerKey {
	return ledgerKey{venue: row.Venue, kind: row.Kind, id: row.VenueOrderID}
}

// NewLedger returns a ledger in memory.
func NewLedger() *Ledger {
	return &Ledger{byID: map[ledgerKey]*LedgerOrder{}}
}

// Orders returns a copy of all rows, oldest first.
func (l *Ledger) Orders() []LedgerOrder { return l.rows(func(*LedgerOrder) bool { return true }) }

func (l *Ledger) rows(keep func(*LedgerOrder) bool) []LedgerOrder {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := []LedgerOrder{}
	for _, row := range l.orders {
		if keep(row) {
			copied := *row
			copied.Fills = append([]LedgerFill(nil), row.Fills...)
			rows = append(rows, copied)
		}
	}
	return rows
}

// add appends a row and writes it to the file.
func (l *Ledger) add(row *LedgerOrder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.insert(row)
	l.write(row)
}

// addMissing is add for a row that may be there already.
func (l *Ledger) addMissing(row *LedgerOrder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.byID[row.key()]; !known {
		l.insert(row)
		l.write(row)
	}
}

func (l *Ledger) insert(row *LedgerOrder) {
	l.orders = append(l.orders, row)
	if row.VenueOrderID != "" {
		l.byID[row.key()] = row
	}
	if len(l.orders) > ledgerOrdersMax+ledgerOrdersMax/10 {
		l.purgeOldest(len(l.orders) - ledgerOrdersMax)
	}
}

func (l *Ledger) purgeOldest(n int) {
	for _, row := range l.orders[:n] {
		delete(l.byID, row.key())
	}
	l.orders = append([]*LedgerOrder(nil), l.orders[n:]...)
}

// change edits a row that is still in memory and writes it again.
func (l *Ledger) change(key ledgerKey, edit func(*LedgerOrder)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row, ok := l.byID[key]; ok {
		edit(row)
		l.write(row)
	}
}
