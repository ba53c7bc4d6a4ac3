package venue

import (
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

// Times and bounds of books.
const (
	// bookRestartWait is the delay before a book that was given up is started again for
	// its subscribers.
	bookRestartWait = 30 * time.Second
	// bookWaitersMax bounds the callers that wait for a book to end and be replaced.
	bookWaitersMax = 1024
)

// shared is the state that is common to the incarnations of a venue: what is known of
// the venue, and its books with their subscribers. Only the actor uses it.
type shared struct {
	state    *state
	books    map[string]*entry // by symbol
	resident map[string]bool   // canonical symbols, once the instruments are known
	full     bool              // a book was rejected, and none was created since
	warned   bool              // that the venue is down
}

// entry is a book that is running, or will be started again.
type entry struct {
	OwnedBook
	symbol  string
	down    bool        // given up for now
	callers []*openBook // waiting for its end
}

func newShared(now time.Time) *shared {
	return &shared{
		state:    newState(now, instrumentsEvery),
		books:    make(map[string]*entry),
		resident: make(map[string]bool),
	}
}

// open answers with a symbol's book.
func (v *venue) open(ctx *actors.Context, m *openBook) {
	e := v.shared().books[m.symbol]
	switch {
	case e == nil:
		v.create(ctx, m)
	case e.Book != m.not:
		m.Send(e.Book)
	case e.down:
		m.Reject(actors.ErrStopped)
	case len(e.callers) < bookWaitersMax:
		e.callers = append(e.callers, m)
	default:
		m.Reject(actors.ErrBusy)
	}
}

// create starts a symbol's book and answers with it.
func (v *venue) create(ctx *actors.Context, m *openBook) {
	i, known := v.shared().state.instruments.Find(m.symbol)
	if !known {
		m.Reject(venues.Errorf(venues.CodeNotFound, "%s does not list %s", v.client.deps.Venue, m.symbol))
		return
	}
	if len(v.shared().books) >= v.client.deps.BooksMax {
		if !v.shared().full {
			ctx.Logger().Warn("limit of books reached", zap.String("symbol", m.symbol), zap.Int("books_max", v.client.deps.BooksMax))
		}
		v.shared().full = true
		m.Reject(actors.ErrBusy)
		return
	}
	v.shared().full = false
	e := &entry{symbol: i.Symbol}
	e.OwnedBook = v.client.deps.NewBook(ctx.Self(), *i, v.shared().resident[i.Symbol])
	if _, err := ctx.Children().Start(e.Child); err != nil {
		e.Ended()
		m.Reject(err)
		return
	}
	v.shared().books[e.symbol] = e
	v.publishBooks()
	m.Send(e.Book)
}

// publishBooks publishes the books for readers outside of the actor.
func (v *venue) publishBooks() {
	books := make(map[string]Book, len(v.shared().books))
	for symbol, e := range v.shared().books {
		books[symbol] = e.Book
	}
	v.client.books.Store(&books)
}

// ended handles the end of a child. A book that was given up is started again later for
// its subscribers; one that has ended on its own had none.
func (v *venue) ended(ctx *actors.Context, m *actors.ChildEnded) {
	e := v.shared().named(m.Name)
	if e == nil {
		return
	}
	waiting := e.callers
	e.callers = nil
	if e.down = m.Err != nil; e.down {
		ctx.Logger().Error("book given up for now", zap.String("symbol", e.symbol), zap.Error(m.Err))
		ctx.Timers().After("book/"+e.symbol, bookRestartWait, &bookDue{e.symbol})
	} else {
		delete(v.shared().books, e.symbol)
		v.publishBooks()
		e.Ended()
	}
	for _, m := range waiting {
		v.open(ctx, m)
	}
}

// named returns the book whose actor has the name, or nil.
func (k *shared) named(child string) *entry {
	for _, e := range k.books {
		if e.Child.Name == child {
			return e
		}
	}
	return nil
}

// bookDue starts a book that was given up.
func (v *venue) bookDue(ctx *actors.Context, symbol string) {
	if e := v.shared().books[symbol]; e != nil {
		v.restart(ctx, e)
	}
}

func (v *venue) restart(ctx *actors.Context, e *entry) {
	_, err := ctx.Children().Start(e.Child)
	if e.down = err != nil; e.down {
		ctx.Logger().Error("book not started", zap.String("symbol", e.symbol), zap.Error(err))
		ctx.Timers().After("book/"+e.symbol, bookRestartWait, &bookDue{e.symbol})
	}
}

// restartBooks starts the books of an earlier incarnation.
func (v *venue) restartBooks(ctx *actors.Context) {
	for _, symbol := range slices.Sorted(maps.Keys(v.shared().books)) {
		v.restart(ctx, v.shared().books[symbol])
	}
}

// openResident starts the resident books that are listed.
func (v *venue) openResident(ctx *actors.Context) {
	for _, name := range v.client.deps.Resident {
		i, listed := v.shared().state.instruments.Find(name)
		if !listed {
			ctx.Logger().Warn("resident symbol is not listed", zap.String("symbol", name))
			continue
		}
		if v.shared().resident[i.Symbol] {
			continue
		}
		v.shared().resident[i.Symbol] = true
		symbol, logger := i.Symbol, ctx.Logger()
		v.open(ctx, &openBook{symbol: symbol, Reply: actors.ReplyFunc(func(_ Book, err error) {
			if err != nil {
				logger.Error("resident book not started", zap.String("symbol", symbol), zap.Error(err))
			}
		})})
	}
}

// rescale notifies the books of instruments whose scale has changed.
func (v *venue) rescale(instruments []venues.Instrument) {
	for n := range instruments {
		if e := v.shared().books[instruments[n].Symbol]; e != nil {
			e.SetScale(instruments[n].Scale())
		}
	}
}
