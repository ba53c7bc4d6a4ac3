package console

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// errSignIn is the answer to every failed sign-in, whatever was wrong.
var errSignIn error = venues.Errorf(venues.CodeUnauthorized, "login, password or code is wrong")

// errStepUp is the answer to a failed step-up. It is no 401: the session continues.
var errStepUp error = venues.Errorf(venues.CodeScopeRequired, "password or code is wrong").With("required", requiredStepUp)

// requiredStepUp is the detail of answers to calls that need a step-up.
const requiredStepUp = "step_up"

// errInvitation is the answer to an invitation that cannot be used.
var errInvitation error = venues.Errorf(venues.CodeUnauthorized, "the link was used or is too old; ask for another one")

// Credentials is the body of a sign-in.
type Credentials struct {
	Login    string `json:"login"`
	Password string `json:"password"`
}

// Code is the body with which a sign-in is completed.
type Code struct {
	Ticket string `json:"ticket"`
	Code   string `json:"code"`
}

// Entry is the body with which an invitation is used.
type Entry struct {
	Token    string `json:"token"`
	Password string `json:"password"`
}

// StepUp is the body of a step-up. Code is needed if the user has a second step.
type StepUp struct {
	Password string `json:"password"`
	Code     string `json:"code"`
}

// SignIn is the result of a sign-in: a session, or a ticket if a code is missing.
type SignIn struct {
	Session *Session `json:"session"`
	Ticket  *string  `json:"ticket"`
}

// Session is the own session.
type Session struct {
	ID           string           `json:"id"`
	User         string           `json:"user"`
	Role         persistence.Role `json:"role"`
	Customer     string           `json:"customer"`
	CustomerName string           `json:"customerName"`
	// SecondStep reports whether the user has a second step, SecondStepMissing whether one
	// must be set up before any other call.
	SecondStep        bool                    `json:"secondStep"`
	SecondStepMissing bool                    `json:"secondStepMissing"`
	SteppedUpUntil    venues.Time             `json:"steppedUpUntil"`
	Build             string                  `json:"build"`
	Environments      map[venues.Venue]string `json:"environments"`
	// HeaderPrefix begins the names of the headers of signals and events.
	HeaderPrefix string `json:"headerPrefix"`
}

// Token is the token with which pages trade.
type Token struct {
	Token    string `json:"token"`
	ValidSec int    `json:"validSec"`
}

// signIn checks a password.
func (s *Console) signIn(c *fiber.Ctx, _ *caller) error {
	var in Credentials
	if err := recordapi.Decode(c, &in); err != nil {
		return err
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (SignIn, error) {
		user, admitted, err := s.find(ctx, in.Login)
		if err != nil {
			return SignIn{}, err
		}
		succeeded, err := s.attempts.begin(ctx, s.Source(c), in.Login, &user)
		if err != nil {
			return SignIn{}, err
		}
		hash := user.Password
		if !admitted {
			hash = ""
		}
		if ok, err := s.Passwords.Verify(ctx, hash, in.Password); err != nil || !ok {
			return SignIn{}, s.failed(c, &user, err, errSignIn)
		}
		succeeded()
		if len(user.Sealed) > 0 {
			text, err := s.tickets.issue(user.Login, hash)
			return SignIn{Ticket: &text}, err
		}
		return s.begin(ctx, c, user.Login, registry.Edit{Action: "sign_in", Change: func(u *persistence.User) error {
			if u.Password != hash || u.Disabled || len(u.Sealed) > 0 {
				return errSignIn
			}
			return nil
		}})
	})
}

// find returns the user with a login, and whether it may sign in here.
func (s *Console) find(ctx context.Context, login string) (user persistence.User, admitted bool, err error) {
	user, err = s.Registry.SignIns(registry.Author{}).User(ctx, login)
	if venues.CodeOf(err) == venues.CodeNotFound {
		return persistence.User{}, false, nil
	}
	if err == nil {
		admitted, err = s.admits(ctx, &user)
	}
	return user, admitted, err
}

// failed logs a failed attempt and returns its answer, or err if that is not nil. The login is
// logged only if a user has it: else it may be a password that was typed into the wrong field.
func (s *Console) failed(c *fiber.Ctx, user *persistence.User, err, answer error) error {
	if err != nil {
		return err
	}
	s.Log.Info("sign-in failed", zap.String("user", user.Login), zap.Stringer("source", s.Source(c)))
	return answer
}

// completeSignIn checks the code of a sign-in with a ticket.
func (s *Console) completeSignIn(c *fiber.Ctx, _ *caller) error {
	var in Code
	if err := recordapi.Decode(c, &in); err != nil {
		return err
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (SignIn, error) {
		t, known := s.tickets.find(in.Ticket)
		if !known {
			return SignIn{}, errSignIn
		}
		user, admitted, err := s.find(ctx, t.login)
		if err != nil {
			return SignIn{}, err
		}
		succeeded, err := s.attempts.begin(ctx, s.Source(c), t.login, &user)
		if err != nil {
			return SignIn{}, err
		}
		done, err := s.begin(ctx, c, t.login, registry.Edit{Action: "sign_in", Change: func(u *persistence.User) error {
			if !admitted || u.Password != t.password || u.Disabled {
				return errSignIn
			}
			return s.useCode(u, in.Code)
		}})
		if errors.Is(err, errSignIn) {
			return SignIn{}, s.failed(c, &user, nil, errSignIn)
		}
		if err == nil {
			succeeded()
			s.tickets.use(in.Ticket)
		}
		return done, err
	})
}

// enter sets a password with an invitation, and signs in. All other sessions end.
func (s *Console) enter(c *fiber.Ctx, _ *caller) error {
	var in Entry
	if err := recordapi.Decode(c, &in); err != nil {
		return err
	}
	if err := checkPassword(in.Password); err != nil {
		return err
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (SignIn, error) {
		succeeded, err := s.attempts.begin(ctx, s.Source(c), "", &persistence.User{})
		if err != nil {
			return SignIn{}, err
		}
		user, err := s.Registry.SignIns(registry.Author{}).Invited(ctx, in.Token)
		if err == nil {
			var admitted bool
			if admitted, err = s.admits(ctx, &user); err == nil && !admitted {
				err = errInvitation
			}
		}
		if venues.CodeOf(err) == venues.CodeNotFound {
			err = errInvitation
		}
		if err != nil {
			return SignIn{}, err
		}
		succeeded()
		hash, err := s.Passwords.Hash(ctx, in.Password)
		if err != nil {
			return SignIn{}, err
		}
		invite := string(user.Invite)
		return s.begin(ctx, c, user.Login, registry.Edit{Action: "enter", EndOthers: true, Change: func(u *persistence.User) error {
			if string(u.Invite) != invite || u.Disabled {
				return errInvitation
			}
			u.Password, u.Invite, u.InviteUntil = hash, nil, venues.Time{}
			u.Sealed, u.Pending, u.Recovery = nil, nil, nil
			return nil
		}})
	})
}

// begin makes an edit with which a session begins, and sets its cookie.
func (s *Console) begin(ctx context.Context, c *fiber.Ctx, login string, e registry.Edit) (SignIn, error) {
	session, cookie := s.newSession(c, login)
	change := e.Change
	e.Session = &session
	e.Change = func(u *persistence.User) error {
		rememberSource(u, s.Source(c))
		return change(u)
	}
	user, err := s.Registry.SignIns(s.author(c, login)).Edit(ctx, login, e)
	if err != nil {
		return SignIn{}, err
	}
	s.setCookie(c, cookie)
	shown, err := s.show(ctx, &caller{session, user})
	return SignIn{Session: &shown}, err
}

// stepUp checks password and code again.
func (s *Console) stepUp(c *fiber.Ctx, in *caller) error {
	var body StepUp
	if err := recordapi.Decode(c, &body); err != nil {
		return err
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (Session, error) {
		succeeded, err := s.attempts.begin(ctx, s.Source(c), in.user.Login, &in.user)
		if err != nil {
			return Session{}, err
		}
		hash := in.user.Password
		if ok, err := s.Passwords.Verify(ctx, hash, body.Password); err != nil || !ok {
			return Session{}, s.failed(c, &in.user, err, errStepUp)
		}
		session := in.session
		cookie := renew(&session)
		s.see(&session, session.SteppedUpAt)
		user, err := s.Registry.SignIns(s.author(c, in.user.Login)).Edit(ctx, in.user.Login, registry.Edit{Session: &session, Change: func(u *persistence.User) error {
			if u.Password != hash {
				return errSignIn
			}
			if len(u.Sealed) == 0 {
				return nil
			}
			return s.useCode(u, body.Code)
		}})
		if errors.Is(err, errSignIn) {
			return Session{}, s.failed(c, &in.user, nil, errStepUp)
		}
		if err != nil {
			return Session{}, err
		}
		succeeded()
		s.setCookie(c, cookie)
		return s.show(ctx, &caller{session, user})
	})
}

func (s *Console) issueToken(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (Token, error) {
		text, err := s.token(ctx, c, in)
		return Token{text.Reveal(), int(auth.TokenLife.Seconds())}, err
	})
}

func (s *Console) getSession(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (Session, error) { return s.show(ctx, in) })
}

func (s *Console) signOut(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (struct{}, error) {
		err := s.Registry.SignIns(s.author(c, in.user.Login)).EndSession(ctx, in.user.Login, in.session.ID)
		if err == nil {
			s.setCookie(c, "")
		}
		return struct{}{}, err
	})
}

// show returns a session as its page sees it.
func (s *Console) show(ctx context.Context, in *caller) (Session, error) {
	shown := Session{
		ID: in.session.ID, User: in.user.Login, Role: in.user.Role, Customer: in.user.Customer,
		SecondStep: len(in.user.Sealed) > 0, SecondStepMissing: s.secondStepMissing(&in.user),
		SteppedUpUntil: venues.At(in.session.SteppedUpAt.Add(stepUpLife)), Build: s.Build, Environments: s.Environments,
		HeaderPrefix: s.HeaderPrefix,
	}
	if in.user.Customer == "" {
		return shown, nil
	}
	customer, err := s.Registry.Customers.Get(ctx, in.user.Customer)
	shown.CustomerName = customer.Name
	return shown, err
}

func (s *Console) secondStepMissing(u *persistence.User) bool {
	return s.RequireTOTP && len(u.Sealed) == 0
}

// checkStepUp returns the error of a session that was not stepped up lately.
func (in *caller) checkStepUp() error {
	if in.steppedUp(time.Now()) {
		return nil
	}
	return venues.Errorf(venues.CodeScopeRequired, "confirm this with password and code").With("required", requiredStepUp)
}
