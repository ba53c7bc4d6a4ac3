package wsclient

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// connState is one connection of the supervisor, with its timers.
type connState struct {
	conn    *Conn
	read    chan error // result of the reader
	ping    *time.Ticker
	renewal *time.Timer
	dialled chan *Conn // a successor, or nil if the dial failed
	overlap *time.Timer
	next    *Conn
}

// serve reads a connection until it ends or is replaced. It returns the successor if the
// change was seamless, and the caller continues with it. A connection that breaks while
// its successor is being dialled is a loss, because the successor may have missed
// something.
func (l *Link) serve(c *Conn, tick *time.Ticker) (successor *Conn, err error) {
	s := &connState{conn: c, read: make(chan error, 1), ping: stoppedTicker(), renewal: stoppedTimer(), overlap: stoppedTimer()}
	defer s.ping.Stop()
	defer s.renewal.Stop()
	defer s.overlap.Stop()
	if l.options.PingInterval > 0 {
		s.ping.Reset(l.options.PingInterval)
	}
	if l.options.Lifetime > 0 {
		s.renewal.Reset(l.options.Lifetime - time.Since(c.openedAt))
	}
	// A write that the venue does not accept delays the next writers, including the
	// supervisor's ping. Closing the link does not wait for it.
	defer context.AfterFunc(l.ctx, func() { c.close(ErrClosed) })()
	l.workers.Go(func() { s.read <- c.read(l.options.Handler) })
	err = l.await(s, tick)
	c.close(err)
	c.writer.Wait()
	if err != nil {
		l.closeSuccessor(s)
		return nil, err
	}
	return s.next, nil
}

// closeSuccessor closes a successor that is too late, now or when its dial ends.
func (l *Link) closeSuccessor(s *connState) {
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

// await returns when the connection is over and its reader has ended.
func (l *Link) await(s *connState, tick *time.Ticker) error {
	end := func(cause error) error {
		s.conn.close(cause)
		return <-s.read
	}
	for {
		select {
		case err := <-s.read:
			return err
		case <-l.ctx.Done():
			return end(ErrClosed)
		case cause := <-s.conn.aborted:
			return end(cause)
		case now := <-tick.C:
			l.options.Handler.Tick(now)
			if s.conn.silentFor(now) > l.options.SilenceMax {
				return end(ErrSilent)
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
			return end(nil)
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

// startRenewal dials the successor while the connection is still in use.
func (l *Link) startRenewal(s *connState) {
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

// adopt opens the successor, or schedules another attempt.
func (l *Link) adopt(s *connState) {
	s.dialled = nil
	if s.next == nil {
		s.renewal.Reset(renewRetryInterval)
		return
	}
	l.options.Handler.Opened(s.next)
	s.overlap.Reset(l.options.RenewOverlap)
}
