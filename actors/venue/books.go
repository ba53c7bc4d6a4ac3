package venue

import (
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

// Times and bounds of keeping books.
const (
	// bookRestartWait is how long a book that keeps failing is left alone before
	// it is started again for the sake of its subscribers.
	bookRestartWait = 30 * time.Second
	// bookWaitersMax bounds those who wait for a book to end and be made anew.
	bookWaitersMax = 1024
)

// keep is what outlives the incarnations of a venue: what it knows, and its
// books with their subscribers. The actor alone uses it.
type keep struct {
	state    *state
	books    map[string]*entry // by symbol
	resident map[string]bool   // canonical symbols, once the catalogue is known
	crowded  bool              // a book was refused since there was room for one
}

// entry is a book that lives, or is to live again.
type entry struct {
	OwnedBook
	symbol  string
	down    bool        // given up for now
	waiting []*openBook // for its end
}

func newKeep(now time.Time) *keep {
	return &keep{
		state:    newState(now, catalogueEvery),
		books:    make(map[string]*entry),
		resident: make(map[string]bool),
	}
}

// open answers with a symbol's book.
func (v *venue) open(ctx *actors.Context, m *openBook) {
	e := v.keep().books[m.symbol]
	switch {
	case e == nil:
		v.create(ctx, m)
	case e.Book != m.not:
		m.Send(e.Book)
	case e.down:
		m.Reject(actors.ErrStopped)
	case len(e.waiting) < bookWaitersMax:
		e.waiting = append(e.waiting, m)
	default:
		m.Reject(actors.ErrBusy)
	}
}

// create starts a symbol's book and answers with it.
func (v *venue) create(ctx *actors.Context, m *openBook) {
	i, known := v.keep().state.instruments.Find(m.symbol)
	if !known {
		m.Reject(venues.Errorf(venues.CodeNotFound, "%s does not list %s", v.client.deps.Venue, m.symbol))
		return
	}
	if len(v.keep().books) >= v.client.deps.BooksMax {
		if !v.keep().crowded {
			ctx.Logger().Warn("no room for another book", zap.String("symbol", m.symbol), zap.Int("books_max", v.client.deps.BooksMax))
		}
		v.keep().crowded = true
		m.Reject(actors.ErrBusy)
		return
	}
	v.keep().crowded = false
	e := &entry{symbol: i.Symbol}
	e.OwnedBook = v.client.deps.NewBook(ctx.Self(), *i, v.keep().resident[i.Symbol])
	if _, err := ctx.Children().Start(e.Child); err != nil {
		e.Ended()
		m.Reject(err)
		return
	}
	v.keep().books[e.symbol] = e
	v.publishBooks()
	m.Send(e.Book)
}

// publishBooks lets everybody find the books.
func (v *venue) publishBooks() {
	books := make(map[string]Book, len(v.keep().books))
	for symbol, e := range v.keep().books {
		books[symbol] = e.Book
	}
	v.client.books.Store(&books)
}

// ended deals with a child that has ended. A book that was given up is started
// again later, since its subscribers wait for it; one that ended by itself had
// none.
func (v *venue) ended(ctx *actors.Context, m *actors.ChildEnded) {
	e := v.keep().named(m.Name)
	if e == nil {
		return
	}
	waiting := e.waiting
	e.waiting = nil
	if e.down = m.Err != nil; e.down {
		ctx.Logger().Error("book given up for now", zap.String("symbol", e.symbol), zap.Error(m.Err))
		ctx.Timers().After("book/"+e.symbol, bookRestartWait, &bookDue{e.symbol})
	} else {
		delete(v.keep().books, e.symbol)
		v.publishBooks()
		e.Ended()
	}
	for _, m := range waiting {
		v.open(ctx, m)
	}
}

// named finds the book whose actor bears the name.
func (k *keep) named(child string) *entry {
	for _, e := range k.books {
		if e.Child.Name == child {
			return e
		}
	}
	return nil
}

// bookDue starts a book that was given up.
func (v *venue) bookDue(ctx *actors.Context, symbol string) {
	if e := v.keep().books[symbol]; e != nil {
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
	for _, symbol := range slices.Sorted(maps.Keys(v.keep().books)) {
		v.restart(ctx, v.keep().books[symbol])
	}
}

// openResident starts the books that are always kept, once they are listed.
func (v *venue) openResident(ctx *actors.Context) {
	for _, name := range v.client.deps.Resident {
		i, listed := v.keep().state.instruments.Find(name)
		if !listed {
			ctx.Logger().Warn("resident symbol is not listed", zap.String("symbol", name))
			continue
		}
		if v.keep().resident[i.Symbol] {
			continue
		}
		v.keep().resident[i.Symbol] = true
		symbol, logger := i.Symbol, ctx.Logger()
		v.open(ctx, &openBook{symbol: symbol, Reply: actors.ReplyFunc(func(_ Book, err error) {
			if err != nil {
				logger.Error("resident book not started", zap.String("symbol", symbol), zap.Error(err))
			}
		})})
	}
}

// rescale tells the books of instruments whose steps have changed.
func (v *venue) rescale(instruments []venues.Instrument) {
	for n := range instruments {
		if e := v.keep().books[instruments[n].Symbol]; e != nil {
			e.SetScale(instruments[n].Scale())
		}
	}
}
