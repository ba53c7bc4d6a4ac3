package customer

import (
	"errors"
	"reflect"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
)

// parts are the channels and endpoints by the names of their children.
type parts map[string]*part

// part is a child that one record describes. When the record changes, the child is
// told, or it ends and another one follows.
type part struct {
	record persistence.Record
	// next is to be started when the child before it has ended; nil once it is,
	// or if the record is removed.
	next *actors.Child
	// waiting hear when the child follows the record.
	waiting []actors.Reply[struct{}]
}

// errChanged is the answer to who would replace a record that is another by now.
var errChanged = errors.New("customer: the record has changed meanwhile")

// configure commits in the order of the calls, so that the last one's record is
// the one that stays.
func (c *customer) configure(ctx *actors.Context, in configure) {
	if in.was != nil && !c.holds(in.was) {
		in.Reject(errChanged)
		return
	}
	done := actors.ReplyTo(ctx, func(_ struct{}, err error) any { return configured{in, err} })
	batch := persistence.Batch{
		Fence: c.fence, Puts: []persistence.Record{in.record}, Journal: []persistence.JournalEntry{in.entry},
	}
	c.deps.Journal.Submit(batch, func(err error) {
		if err != nil {
			done.Reject(err)
			return
		}
		done.Send(struct{}{})
	})
}

func (c *customer) holds(record persistence.Record) bool {
	for _, p := range c.parts {
		if p.record.Key() == record.Key() {
			return reflect.DeepEqual(p.record, record)
		}
	}
	return false
}

func (c *customer) configured(ctx *actors.Context, in configured) {
	if in.err != nil {
		in.in.Reject(in.err)
		return
	}
	p, err := c.openPart(ctx, in.in.record)
	switch {
	case err != nil:
		in.in.Reject(err)
	case p == nil:
		in.in.Send(struct{}{})
	default:
		p.waiting = append(p.waiting, in.in.Reply)
	}
}

// openPart lets a child follow its record: at once, or after the one before it
// has ended; then the part that is waited for is given.
func (c *customer) openPart(ctx *actors.Context, record persistence.Record) (*part, error) {
	opened, err := c.deps.OpenPart(c.fence, record)
	if err != nil {
		ctx.Logger().Error("open", zap.Stringer("record", record.Key()), zap.Error(err))
	}
	if opened.Name == "" {
		return nil, err
	}
	p := c.parts[opened.Name]
	if p == nil {
		p = &part{}
		c.parts[opened.Name] = p
	}
	p.record = record
	if _, lives := ctx.Children().Ref(opened.Name); lives && opened.Follow != nil {
		opened.Follow()
		return nil, err
	}
	p.next = opened.Child
	if ctx.Children().Stop(opened.Name) {
		return p, err
	}
	c.follow(ctx, p)
	return nil, err
}

// partEnded goes on with what waited for the end of a child.
func (c *customer) partEnded(ctx *actors.Context, name string) {
	if p := c.parts[name]; p != nil {
		c.follow(ctx, p)
	}
}

func (c *customer) follow(ctx *actors.Context, p *part) {
	var err error
	if p.next != nil {
		_, err = ctx.Children().Start(*p.next)
		p.next = nil
	}
	for _, reply := range p.waiting {
		if err != nil {
			reply.Reject(err)
			continue
		}
		reply.Send(struct{}{})
	}
	p.waiting = nil
}
