package wsclient

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// served is one connection in the supervisor's hands, with the timers that
// watch over it.
type served struct {
	conn    *Conn
	read    chan error // closed reader, with its reason
	ping    *time.Ticker
	renewal *time.Timer
	dialled chan *Conn // a successor, or nil if it failed
	overlap *time.Timer
	next    *Conn
}

// serve reads a connection until it ends or is replaced. It returns the
// successor if the change was seamless: the caller goes on with that as if
// nothing had happened. A connection that breaks while its successor is on the
// way is a loss like any other, for the successor may have missed something.
func (l *Link) serve(c *Conn, tick *time.Ticker) (successor *Conn, err error) {
	s := &served{conn: c, read: make(chan error, 1), ping: stoppedTicker(), renewal: stoppedTimer(), overlap: stoppedTimer()}
	defer s.ping.Stop()
	defer s.renewal.Stop()
	defer s.overlap.Stop()
	if l.options.PingInterval > 0 {
		s.ping.Reset(l.options.PingInterval)
	}
	if l.options.Lifetime > 0 {
		s.renewal.Reset(l.options.Lifetime - time.Since(c.openedAt))
	}
	// A write that the venue does not take holds up whoever writes next, the
	// supervisor with its ping among them: the end of the link does not wait for it.
	defer context.AfterFunc(l.ctx, func() { c.close(ErrClosed) })()
	l.workers.Go(func() { s.read <- c.read(l.options.Handler) })
	err = l.watch(s, tick)
	c.close(err)
	c.writer.Wait()
	if err != nil {
		l.abandon(s)
		return nil, err
	}
	return s.next, nil
}

// abandon closes a successor that came too late, now or when its dial ends.
func (l *Link) abandon(s *served) {
	closing := func(c *Conn) {
		if c != nil {
			c.close(ErrClosed)
			c.writer.Wait()
		}
	}
	closing(s.next)
	if s.dialled != nil {
		l.workers.Go(func() { closing(<-s.dialled) })
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

func stoppedTicker() *time.Ticker {
	t := time.NewTicker(time.Hour)
	t.Stop()
	return t
}

// watch returns when the connection is done with and its reader has ended.
func (l *Link) watch(s *served, tick *time.Ticker) error {
	give := func(cause error) error {
		s.conn.close(cause)
		return <-s.read
	}
	for {
		select {
		case err := <-s.read:
			return err
		case <-l.ctx.Done():
			return give(ErrClosed)
		case cause := <-s.conn.givenUp:
			return give(cause)
		case now := <-tick.C:
			l.options.Handler.Tick(now)
			if s.conn.silentFor(now) > l.options.SilenceMax {
				return give(ErrSilent)
			}
		case <-s.ping.C:
			l.ping(s.conn)
		case <-l.renew:
			l.startRenewal(s)
		case <-s.renewal.C:
			l.startRenewal(s)
		case s.next = <-s.dialled:
			l.adopt(s)
		case <-s.overlap.C:
			return give(nil)
		}
	}
}

func (l *Link) ping(c *Conn) {
	if l.options.Ping != nil {
		c.Send(l.options.Ping)
		return
	}
	if err := c.ping(); err != nil {
		c.close(err)
	}
}

// startRenewal dials the successor beside the running connection.
func (l *Link) startRenewal(s *served) {
	if s.dialled != nil || s.next != nil {
		return
	}
	dialled := make(chan *Conn, 1)
	s.dialled = dialled
	l.workers.Go(func() {
		next, err := l.dial()
		if err != nil {
			l.options.Log.Warn("venue stream: renewal failed", zap.Error(err))
		}
		dialled <- next
	})
}

// adopt takes the successor in, or tries again later.
func (l *Link) adopt(s *served) {
	s.dialled = nil
	if s.next == nil {
		s.renewal.Reset(renewRetryInterval)
		return
	}
	l.options.Handler.Opened(s.next)
	s.overlap.Reset(l.options.RenewOverlap)
}
