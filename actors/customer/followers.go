package customer

import (
	"errors"
	"reflect"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
)

// followers are the actors of channels and endpoints, by the names of the children.
type followers map[string]*follower

// follower is a child that is described by one record.
type follower struct {
	record persistence.Record
	// next is to be started when the running child has ended; nil if there is none or
	// the record is removed.
	next *actors.Child
	// callers are answered when the child follows the record.
	callers []actors.Reply[struct{}]
}

// errChanged rejects a replacement of a record that has changed meanwhile.
var errChanged = errors.New("customer: the record has changed meanwhile")

// configure commits in the order of the calls, so that the record of the last one is
// kept.
func (c *customer) configure(ctx *actors.Context, in configure) {
	if in.was != nil && !c.holds(in.was) {
		in.Reject(errChanged)
		return
	}
	batch := persistence.Batch{Fence: c.fence, Journal: []persistence.JournalEntry{in.entry}, Reserve: true}
	if in.record != nil {
		batch.Puts = []persistence.Record{in.record}
	}
	step.Submit(ctx, c.deps.Journal, batch, func(err error) any { return configured{in, err} })
}

func (c *customer) holds(record persistence.Record) bool {
	for _, p := range c.followers {
		if p.record.Key() == record.Key() {
			return reflect.DeepEqual(p.record, record)
		}
	}
	return false
}

func (c *customer) configured(ctx *actors.Context, in configured) {
	if in.in.record == nil {
		if in.err != nil {
			ctx.Logger().Warn("add a row to the journal", zap.String("kind", in.in.entry.Kind), zap.Error(in.err))
		}
		return
	}
	if in.err != nil {
		in.in.Reject(in.err)
		return
	}
	p, err := c.openFollower(ctx, in.in.record)
	switch {
	case err != nil:
		in.in.Reject(err)
	case p == nil:
		in.in.Send(struct{}{})
	default:
		p.callers = append(p.callers, in.in.Reply)
	}
}

// openFollower makes the child follow its record, immediately or after the running
// child has ended. In the latter case it returns the follower, for the callers to
// wait.
func (c *customer) openFollower(ctx *actors.Context, record persistence.Record) (*follower, error) {
	opened, err := c.deps.OpenFollower(c.fence, record)
	if err != nil {
		ctx.Logger().Error("open", zap.Stringer("record", record.Key()), zap.Error(err))
	}
	if opened.Name == "" {
		return nil, err
	}
	p := c.followers[opened.Name]
	if p == nil {
		p = &follower{}
		c.followers[opened.Name] = p
	}
	p.record = record
	if _, running := ctx.Children().Ref(opened.Name); running && opened.Follow != nil {
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

// followerEnded starts what was to be started after the end of a child.
func (c *customer) followerEnded(ctx *actors.Context, name string) {
	if p := c.followers[name]; p != nil {
		c.follow(ctx, p)
	}
}

func (c *customer) follow(ctx *actors.Context, p *follower) {
	var err error
	if p.next != nil {
		_, err = ctx.Children().Start(*p.next)
		p.next = nil
	}
	for _, reply := range p.callers {
		if err != nil {
			reply.Reject(err)
			continue
		}
		reply.Send(struct{}{})
	}
	p.callers = nil
}
