package registry

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// sessionsMax bounds the sessions of a user: the oldest ends when another begins.
const sessionsMax = 20

// ErrSessionEnded is returned for a session that has ended.
var ErrSessionEnded error = venues.Errorf(venues.CodeUnauthorized, "the session has ended; sign in again")

// SignIns changes users as they sign in and out, each for itself: unlike Users, it is not
// limited to the users of a customer.
type SignIns struct {
	audit    audit
	store    UserStore
	sessions Sessions
}

// User returns the record of a user.
func (s *SignIns) User(ctx context.Context, login string) (persistence.User, error) {
	record, err := s.store.User(ctx, login)
	if err != nil {
		return persistence.User{}, fmt.Errorf("read user: %w", notFound(err))
	}
	return record, nil
}

// Invited returns the user whose invitation has the token.
func (s *SignIns) Invited(ctx context.Context, token string) (persistence.User, error) {
	users, err := s.store.Users(ctx)
	if err != nil {
		return persistence.User{}, fmt.Errorf("list users: %w", err)
	}
	hash := hashOf(token)
	for _, record := range users {
		if subtle.ConstantTimeCompare(hash, record.Invite) == 1 && time.Now().Before(record.InviteUntil.Time) {
			return record, nil
		}
	}
	return persistence.User{}, notFound(persistence.ErrNotFound)
}

// Edit is a change of a user and of the user's sessions, in one commit.
type Edit struct {
	// Action names the change in its journal row; without one there is no row.
	Action string
	// Change changes the record. After an error nothing is stored.
	Change func(*persistence.User) error
	// Session begins, or replaces the one with its id, which must not have ended.
	Session *persistence.Session
	// EndOthers ends all other sessions of the user, except the one with the id Keep.
	EndOthers bool
	Keep      string
}

// Edit changes a user. The tokens and connections of sessions that end with it are closed
// when it returns.
func (s *SignIns) Edit(ctx context.Context, login string, e Edit) (persistence.User, error) {
	s.audit.Lock()
	defer s.audit.Unlock()
	record, err := s.User(ctx, login)
	if err != nil {
		return persistence.User{}, err
	}
	if err := e.Change(&record); err != nil {
		return persistence.User{}, err
	}
	ended, err := s.ending(ctx, login, e)
	if err != nil {
		return persistence.User{}, err
	}
	records := append(ended.records, record)
	if e.Session != nil {
		records = append(records, *e.Session)
	}
	if err := s.put(ctx, login, e.Action, record, records...); err != nil {
		return persistence.User{}, err
	}
	ended.revoke(s.sessions)
	return record, nil
}

// put stores the records of an edit, with a row if it has an action.
func (s *SignIns) put(ctx context.Context, login, action string, record persistence.User, records ...persistence.Record) error {
	if action != "" {
		return s.audit.commitOf(ctx, record.Customer, kindUser, login, userFields(action, record), records...)
	}
	return s.audit.store.Commit(ctx, persistence.Batch{Puts: records, Reserve: true})
}

// ending returns the sessions that end with an edit.
func (s *SignIns) ending(ctx context.Context, login string, e Edit) (endedSessions, error) {
	keep := e.Keep
	if e.Session != nil {
		keep = e.Session.ID
		switch stored, err := s.store.Session(ctx, keep); {
		case err == nil && !time.Now().Before(stored.EndsAt.Time):
			return endedSessions{}, ErrSessionEnded
		case err != nil && !errors.Is(err, persistence.ErrNotFound):
			return endedSessions{}, fmt.Errorf("read session: %w", err)
		}
	}
	open, err := s.SessionsOf(ctx, login)
	if err != nil {
		return endedSessions{}, err
	}
	room := sessionsMax
	if e.Session != nil {
		open = slices.DeleteFunc(open, func(o persistence.Session) bool { return o.ID == keep })
		room--
	}
	excess := open[:max(0, len(open)-room)]
	return endSessions(ctx, s.store, func(o *persistence.Session) bool {
		return o.User == login && o.ID != keep &&
			(e.EndOthers || slices.ContainsFunc(excess, func(old persistence.Session) bool { return old.ID == o.ID }))
	})
}

// SessionsOf returns the open sessions of a user, the oldest first.
func (s *SignIns) SessionsOf(ctx context.Context, login string) ([]persistence.Session, error) {
	all, err := s.store.Sessions(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	now := time.Now()
	return slices.DeleteFunc(all, func(o persistence.Session) bool { return o.User != login || !now.Before(o.EndsAt.Time) }), nil
}

// UpdateSession changes a session that has not ended. Meanwhile it cannot end.
func (s *SignIns) UpdateSession(ctx context.Context, id string, change func(*persistence.Session) error) error {
	s.audit.Lock()
	defer s.audit.Unlock()
	session, err := s.Session(ctx, id)
	if err != nil {
		return err
	}
	if err := change(&session); err != nil {
		return err
	}
	return s.audit.store.Commit(ctx, persistence.Batch{Puts: []persistence.Record{session}, Reserve: true})
}

// EndSession signs a session of a user out.
func (s *SignIns) EndSession(ctx context.Context, login, id string) error {
	s.audit.Lock()
	defer s.audit.Unlock()
	session, err := s.Session(ctx, id)
	if err == nil && session.User != login {
		err = ErrSessionEnded
	}
	if err != nil {
		return err
	}
	record, err := s.User(ctx, login)
	if err != nil {
		return err
	}
	session.EndsAt = venues.At(time.Now())
	fields := []persistence.JournalField{field("action", "sign_out"), field("session", id)}
	if err := s.audit.commitOf(ctx, record.Customer, kindUser, login, fields, session); err != nil {
		return err
	}
	s.sessions.Revoke(id)
	return nil
}

// Session returns a session that has not ended.
func (s *SignIns) Session(ctx context.Context, id string) (persistence.Session, error) {
	session, err := s.store.Session(ctx, id)
	if errors.Is(err, persistence.ErrNotFound) || err == nil && !time.Now().Before(session.EndsAt.Time) {
		return persistence.Session{}, ErrSessionEnded
	}
	return session, err
}

// endedSessions are sessions that end with a commit, and the ids to be revoked after it.
type endedSessions struct {
	records []persistence.Record
	ids     []string
}

// endSessions returns the open sessions that match, ended now.
func endSessions(ctx context.Context, store UserStore, match func(*persistence.Session) bool) (ended endedSessions, err error) {
	sessions, err := store.Sessions(ctx)
	now := venues.At(time.Now())
	for _, s := range sessions {
		if match(&s) && now.Before(s.EndsAt.Time) {
			s.EndsAt = now
			ended.records = append(ended.records, s)
			ended.ids = append(ended.ids, s.ID)
		}
	}
	return ended, err
}

func (e *endedSessions) revoke(sessions Sessions) {
	for _, id := range e.ids {
		sessions.Revoke(id)
	}
}
