package console

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// OpenSession is one of the own sessions.
type OpenSession struct {
	ID        string      `json:"id"`
	Source    string      `json:"source"`
	Browser   string      `json:"browser"`
	CreatedAt venues.Time `json:"createdAt"`
	SeenAt    venues.Time `json:"seenAt"`
	// Current is set for the session of the call.
	Current bool `json:"current"`
}

// NewPassword is the body of a change of the password.
type NewPassword struct {
	Password string `json:"password"`
}

// NewSecondStep is a second step that is not confirmed yet. URL is what an authenticator app
// reads from a QR code.
type NewSecondStep struct {
	Secret string `json:"secret"`
	URL    string `json:"url"`
}

// Confirmation is the body that confirms a second step.
type Confirmation struct {
	Code string `json:"code"`
}

// RecoveryCodes can each be used once in place of a code.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recoveryCodes"`
}

// Densities of the pages.
const (
	densityUsual = "usual"
	densityDense = "dense"
)

// Preferences are how the console shows itself. Zone is empty for that of the browser.
type Preferences struct {
	Zone      string `json:"zone"`
	Density   string `json:"density"`
	Shortcuts bool   `json:"shortcuts"`
}

// PreferencesChange changes the members that are set.
type PreferencesChange struct {
	Zone      *string `json:"zone"`
	Density   *string `json:"density"`
	Shortcuts *bool   `json:"shortcuts"`
}

// zonePattern matches names of the time zone database.
var zonePattern = regexp.MustCompile(`^([A-Za-z0-9_+-]{1,32}(/[A-Za-z0-9_+-]{1,32}){0,2})?$`)

func (s *Console) listSessions(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (recordapi.Items[OpenSession], error) {
		open, err := s.Registry.SignIns(registry.Author{}).SessionsOf(ctx, in.user.Login)
		shown := make([]OpenSession, len(open))
		for i, o := range open {
			shown[i] = OpenSession{o.ID, o.Source, o.Browser, o.CreatedAt, o.SeenAt, o.ID == in.session.ID}
		}
		return recordapi.Items[OpenSession]{Items: shown}, err
	})
}

func (s *Console) endSession(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (struct{}, error) {
		signIns, id := s.Registry.SignIns(s.author(c, in.user.Login)), recordapi.Param(c, "id")
		open, err := signIns.SessionsOf(ctx, in.user.Login)
		if err == nil && !slices.ContainsFunc(open, func(o persistence.Session) bool { return o.ID == id }) {
			err = venues.Errorf(venues.CodeNotFound, "there is no such session")
		}
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, signIns.EndSession(ctx, in.user.Login, id)
	})
}

// changePassword ends all other sessions.
func (s *Console) changePassword(c *fiber.Ctx, in *caller) error {
	var body NewPassword
	if err := recordapi.Decode(c, &body); err != nil {
		return err
	}
	if err := checkPassword(body.Password); err != nil {
		return err
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (struct{}, error) {
		hash, err := s.Passwords.Hash(ctx, body.Password)
		if err != nil {
			return struct{}{}, err
		}
		e := registry.Edit{Action: "password", EndOthers: true, Keep: in.session.ID, Change: func(u *persistence.User) error {
			u.Password = hash
			return nil
		}}
		_, err = s.Registry.SignIns(s.author(c, in.user.Login)).Edit(ctx, in.user.Login, e)
		return struct{}{}, err
	})
}

// newSecondStep makes a second step, which replaces the present one once it is confirmed.
func (s *Console) newSecondStep(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (NewSecondStep, error) {
		secret, url, err := newTOTP(in.user.Login)
		if err != nil {
			return NewSecondStep{}, err
		}
		sealed, err := s.Secrets.Seal(secret, in.user.Key())
		if err != nil {
			return NewSecondStep{}, err
		}
		_, err = s.edit(ctx, c, in, "", func(u *persistence.User) error { u.Pending = sealed; return nil })
		return NewSecondStep{secret.Reveal(), url}, err
	})
}

func (s *Console) confirmSecondStep(c *fiber.Ctx, in *caller) error {
	var body Confirmation
	if err := recordapi.Decode(c, &body); err != nil {
		return err
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (codes RecoveryCodes, err error) {
		_, err = s.edit(ctx, c, in, "second_step", func(u *persistence.User) error {
			if len(u.Pending) == 0 {
				return venues.Errorf(venues.CodeInvalidRequest, "there is no second step to confirm")
			}
			secret, err := s.Secrets.Open(u.Pending, u.Key())
			if err != nil {
				return err
			}
			step, ok := matchStep(secret, body.Code, 0, s.now())
			if !ok {
				return api.FieldError("code", api.RuleOutOfRange, "", "the present code of the new second step")
			}
			u.Sealed, u.Pending, u.UsedStep = u.Pending, nil, step
			codes.RecoveryCodes = newRecoveryCodes(u)
			return nil
		})
		return codes, err
	})
}

func (s *Console) renewRecoveryCodes(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (codes RecoveryCodes, err error) {
		_, err = s.edit(ctx, c, in, "recovery_codes", func(u *persistence.User) error {
			if len(u.Sealed) == 0 {
				return venues.Errorf(venues.CodeInvalidRequest, "set up a second step first")
			}
			codes.RecoveryCodes = newRecoveryCodes(u)
			return nil
		})
		return codes, err
	})
}

func (s *Console) getPreferences(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(context.Context) (Preferences, error) { return preferencesOf(&in.user), nil })
}

func (s *Console) changePreferences(c *fiber.Ctx, in *caller) error {
	var body PreferencesChange
	if err := recordapi.Decode(c, &body); err != nil {
		return err
	}
	if body.Zone != nil && !zonePattern.MatchString(*body.Zone) {
		return api.FieldError("zone", api.RuleMalformed, *body.Zone, "a name such as Europe/Berlin, or nothing")
	}
	if body.Density != nil && *body.Density != densityUsual && *body.Density != densityDense {
		return api.FieldError("density", api.RuleUnknownValue, *body.Density, densityUsual+", "+densityDense)
	}
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (Preferences, error) {
		user, err := s.edit(ctx, c, in, "", func(u *persistence.User) error {
			p := &u.Preferences
			if body.Zone != nil {
				p.Zone = *body.Zone
			}
			if body.Density != nil {
				p.Density = *body.Density
			}
			if body.Shortcuts != nil {
				p.NoShortcuts = !*body.Shortcuts
			}
			return nil
		})
		return preferencesOf(&user), err
	})
}

func preferencesOf(u *persistence.User) Preferences {
	p := Preferences{u.Preferences.Zone, u.Preferences.Density, !u.Preferences.NoShortcuts}
	if p.Density == "" {
		p.Density = densityUsual
	}
	return p
}

// edit changes the own user, and leaves its sessions as they are.
func (s *Console) edit(ctx context.Context, c *fiber.Ctx, in *caller, action string, change func(*persistence.User) error) (persistence.User, error) {
	return s.Registry.SignIns(s.author(c, in.user.Login)).Edit(ctx, in.user.Login, registry.Edit{Action: action, Change: change})
}
